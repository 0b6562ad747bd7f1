import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'

interface NewRoleDialogProps {
  onMade(roleId: string): void
  onClose(): void
}

/** A new role is visible to everyone, and only the master key can change it: otherwise everyone could join. */
const ACL = { '*': { read: true } }

export function NewRoleDialog({ onMade, onClose }: NewRoleDialogProps) {
  const { t } = useTranslation('users')
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const [form] = Form.useForm<{ name: string }>()
  const making = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      call<{ objectId: string }>('POST', '/1.1/roles', { body: { name, ACL } }),
    onSuccess: ({ objectId }) => {
      void queries.invalidateQueries({ queryKey: ['apps', appId, 'roles'] })
      onClose()
      onMade(objectId)
    },
  })
  return (
    <Dialog
      open
      title={t('roles.new')}
      okText={t('roles.make')}
      confirmLoading={making.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form form={form} layout="vertical" onFinish={(fields) => making.mutate(fields)}>
        <Form.Item
          name="name"
          label={t('roles.name')}
          extra={t('roles.nameAbout')}
          rules={[{ required: true, pattern: /^[A-Za-z0-9_]{1,100}$/, message: t('roles.nameWrong') }]}
        >
          <Input autoFocus autoComplete="off" maxLength={100} />
        </Form.Item>
        <ProblemNotice error={making.error} />
      </Form>
    </Dialog>
  )
}
