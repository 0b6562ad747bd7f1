import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Form, Input, Select, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { ROOTS } from '../conversations.ts'

interface Wanted {
  readonly kind: keyof typeof ROOTS
  readonly name?: string
  readonly members?: readonly string[]
  readonly unique?: boolean
}

/** Creates a conversation and opens it. */
export function NewConversation({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [form] = Form.useForm<Wanted>()
  const kind = Form.useWatch('kind', form) ?? 'normal'
  const create = useMutation({
    mutationFn: ({ kind, name, members = [], unique }: Wanted) =>
      app.call<{ objectId: string }>('POST', ROOTS[kind], {
        body: { ...(name && { name }), ...(kind === 'normal' && { m: members, unique: unique === true }) },
      }),
    onSuccess: async ({ objectId }) => {
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'conversations'] })
      await navigate({
        to: '/apps/$appId/messaging/conversations/$convId',
        params: { appId: app.appId, convId: objectId },
      })
    },
  })
  return (
    <Dialog
      open
      title={t('new.title')}
      okText={t('new.create')}
      okButtonProps={{ loading: create.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <ProblemNotice error={create.error} />
      <Form
        form={form}
        layout="vertical"
        initialValues={{ kind: 'normal' }}
        onFinish={(wanted) => create.mutate(wanted)}
      >
        <Form.Item name="kind" label={t('list.kind')}>
          <Select
            options={(['normal', 'room', 'system'] as const).map((value) => ({ value, label: t(`kinds.${value}`) }))}
          />
        </Form.Item>
        <Form.Item name="name" label={t('new.name')}>
          <Input maxLength={200} autoComplete="off" />
        </Form.Item>
        {kind === 'normal' && (
          <>
            <Form.Item
              name="members"
              label={t('new.members')}
              extra={t('new.membersAbout')}
              rules={[{ required: true }]}
            >
              <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[',', '\n']} />
            </Form.Item>
            <Form.Item name="unique" label={t('new.unique')} extra={t('new.uniqueAbout')} valuePropName="checked">
              <Switch />
            </Form.Item>
          </>
        )}
      </Form>
    </Dialog>
  )
}
