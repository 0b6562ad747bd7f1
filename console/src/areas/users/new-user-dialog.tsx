import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'

interface Fields {
  readonly username: string
  readonly password: string
  readonly email?: string
  readonly mobilePhoneNumber?: string
}

interface NewUserDialogProps {
  onMade(userId: string): void
  onClose(): void
}

/** Registers a user as a sign-up does. */
export function NewUserDialog({ onMade, onClose }: NewUserDialogProps) {
  const { t } = useTranslation('users')
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const [form] = Form.useForm<Fields>()
  const making = useMutation({
    mutationFn: (fields: Fields) => {
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
      return call<{ objectId: string }>('POST', '/1.1/users', { body: given })
    },
    onSuccess: ({ objectId }) => {
      void queries.invalidateQueries({ queryKey: ['apps', appId, 'users'] })
      onClose()
      onMade(objectId)
    },
  })
  const needed = [{ required: true, message: t('new.needed') }]
  return (
    <Dialog
      open
      title={t('new.title')}
      okText={t('new.make')}
      confirmLoading={making.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form form={form} layout="vertical" onFinish={(fields) => making.mutate(fields)}>
        <Form.Item name="username" label={t('fields.username')} rules={needed}>
          <Input autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="password" label={t('password')} rules={needed}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item name="email" label={t('fields.email')}>
          <Input type="email" autoComplete="off" />
        </Form.Item>
        <Form.Item name="mobilePhoneNumber" label={t('fields.mobilePhoneNumber')}>
          <Input type="tel" autoComplete="off" />
        </Form.Item>
        <ProblemNotice error={making.error} />
      </Form>
    </Dialog>
  )
}
