import { useMutation, useQuery } from '@tanstack/react-query'
import { App as AntApp, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'

interface Wanted {
  readonly convId: string
  readonly from: string
  readonly text: string
  readonly push?: string
}

/** Sends a message to all clients of the app, in a service conversation. */
export function Broadcast({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { message } = AntApp.useApp()
  const [form] = Form.useForm<Wanted>()
  const services = useQuery({
    queryKey: ['apps', app.appId, 'conversations', 'services'],
    queryFn: async ({ signal }) =>
      (
        await app.call<{ results: { objectId: string; name?: string }[] }>('GET', '/1.1/classes/_Conversation', {
          query: { where: { sys: true }, keys: 'name', order: '-createdAt', limit: 100 },
          signal,
        })
      ).results,
  })
  const send = useMutation({
    mutationFn: ({ convId, from, text, push }: Wanted) =>
      app.call('POST', '/1.1/rtm/broadcast', {
        body: {
          conv_id: convId,
          from_peer: from,
          message: JSON.stringify({ _lctype: -1, _lctext: text }),
          ...(push && { push: { alert: push } }),
        },
      }),
    onSuccess: () => {
      void message.success(t('broadcast.sent'))
      onClose()
    },
  })
  return (
    <Dialog
      open
      title={t('broadcast.title')}
      okText={t('broadcast.send')}
      okButtonProps={{ loading: send.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <ProblemNotice error={services.error ?? send.error} />
      <Form form={form} layout="vertical" initialValues={{ from: 'system' }} onFinish={(wanted) => send.mutate(wanted)}>
        <Form.Item
          name="convId"
          label={t('broadcast.service')}
          extra={t('broadcast.serviceAbout')}
          rules={[{ required: true }]}
        >
          <Select
            loading={services.isPending}
            showSearch={{ optionFilterProp: 'label' }}
            options={services.data?.map(({ objectId, name }) => ({
              value: objectId,
              label: name ? `${name} · ${objectId}` : objectId,
            }))}
          />
        </Form.Item>
        <Form.Item name="from" label={t('composer.from')} rules={[{ required: true }]}>
          <Input maxLength={64} autoComplete="off" />
        </Form.Item>
        <Form.Item name="text" label={t('composer.message')} rules={[{ required: true }]}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} />
        </Form.Item>
        <Form.Item name="push" label={t('broadcast.push')} extra={t('broadcast.pushAbout')}>
          <Input maxLength={500} autoComplete="off" />
        </Form.Item>
      </Form>
    </Dialog>
  )
}
