import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { useAppChange } from '../apps/app-changes.ts'

interface Fields {
  readonly name: string
  readonly ownerEmail?: string
}

interface DetailsDialogProps {
  readonly app: App
  onClose(): void
}

/** The name and owner of an app. */
export function DetailsDialog({ app, onClose }: DetailsDialogProps) {
  const { t } = useTranslation(['overview', 'apps'])
  const [form] = Form.useForm<Fields>()
  const changing = useAppChange(app.appId)
  const change = ({ name, ownerEmail }: Fields) =>
    changing.mutate({ name, ownerEmail: ownerEmail || null }, { onSuccess: onClose })
  return (
    <Dialog
      open
      title={t('edit')}
      okText={t('save')}
      confirmLoading={changing.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form
        form={form}
        layout="vertical"
        initialValues={{ name: app.name, ownerEmail: app.ownerEmail ?? '' }}
        onFinish={change}
      >
        <Form.Item
          name="name"
          label={t('apps:name')}
          rules={[{ required: true, whitespace: true, message: t('apps:nameNeeded') }]}
        >
          <Input maxLength={100} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="ownerEmail"
          label={t('apps:ownerEmail')}
          extra={t('apps:ownerEmailAbout')}
          rules={[{ type: 'email', message: t('apps:emailWrong') }]}
        >
          <Input type="email" autoComplete="email" />
        </Form.Item>
        <ProblemNotice error={changing.error} />
      </Form>
    </Dialog>
  )
}
