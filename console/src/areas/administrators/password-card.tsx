import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { meQuery } from '../../api/me.ts'
import { request } from '../../api/request.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'

interface Fields {
  readonly currentPassword?: string
  readonly password: string
}

const MIN_CHARACTERS = 10

/** Sets the password of the current administrator; a new one ends all other sessions. */
export function PasswordCard({ hasPassword }: { readonly hasPassword: boolean }) {
  const { t } = useTranslation('administrators')
  const { message } = App.useApp()
  const cache = useQueryClient()
  const [form] = Form.useForm<Fields>()
  const keeping = useMutation({
    mutationFn: (body: Fields) => request('PUT', '/admin/me/password', { body }),
    onSuccess: async () => {
      form.resetFields()
      void message.success(t('passwordKept'))
      await cache.invalidateQueries(meQuery)
    },
  })
  return (
    <Card variant="borderless" title={t('password')}>
      <Form<Fields>
        name="password"
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={(fields) => keeping.mutate(fields)}
      >
        {hasPassword && (
          <Form.Item
            name="currentPassword"
            label={t('currentPassword')}
            rules={[{ required: true, message: t('passwordNeeded') }]}
          >
            <Input.Password autoComplete="current-password" />
          </Form.Item>
        )}
        <Form.Item
          name="password"
          label={t('newPassword')}
          extra={t('passwordRule')}
          rules={[{ required: true, min: MIN_CHARACTERS, message: t('passwordRule') }]}
        >
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <ProblemNotice error={keeping.error} />
        <Button type="primary" htmlType="submit" loading={keeping.isPending}>
          {t('setPassword')}
        </Button>
      </Form>
    </Card>
  )
}
