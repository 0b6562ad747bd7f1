import { Form, Input, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import type { UserChanges } from './use-user-changes.ts'

interface PasswordDialogProps {
  readonly changes: UserChanges
  onClose(): void
}

/** Sets a password, which the administrator passes on to the user. */
export function PasswordDialog({ changes: { setPassword }, onClose }: PasswordDialogProps) {
  const { t } = useTranslation('users')
  const [form] = Form.useForm<{ password: string }>()
  return (
    <Dialog
      open
      title={t('login.setPassword')}
      okText={t('save')}
      confirmLoading={setPassword.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Typography.Paragraph type="secondary">{t('login.setPasswordAbout')}</Typography.Paragraph>
      <Form
        form={form}
        layout="vertical"
        onFinish={({ password }) => setPassword.mutate(password, { onSuccess: onClose })}
      >
        <Form.Item name="password" label={t('password')} rules={[{ required: true, message: t('new.needed') }]}>
          <Input.Password autoFocus autoComplete="new-password" />
        </Form.Item>
        <ProblemNotice error={setPassword.error} />
      </Form>
    </Dialog>
  )
}
