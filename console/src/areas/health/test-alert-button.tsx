import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { sendTestAlert } from './health-queries.ts'

/** Sends a test alert to the recipients and the webhook, and shows the outcome. */
export function TestAlertButton() {
  const { t } = useTranslation('health')
  const { message } = App.useApp()
  const send = useMutation({
    mutationFn: sendTestAlert,
    onError: (error: Error) => void message.error(error.message),
    onSuccess: ({ recipients, mailProblem, webhook }) => {
      if (recipients === 0 && webhook === null) return void message.warning(t('alerts.noRecipients'))
      if (mailProblem !== null) void message.error(t('alerts.mailFailed', { reason: mailProblem }))
      else if (recipients > 0) void message.success(t('alerts.mailSent', { count: recipients }))
      if (webhook?.problem) void message.error(t('alerts.webhookFailed', { reason: webhook.problem }))
      else if (webhook) void message.success(t('alerts.webhookSent'))
    },
  })
  return (
    <Button loading={send.isPending} onClick={() => send.mutate()}>
      {t('alerts.test')}
    </Button>
  )
}
