import { Badge } from 'antd'
import { useTranslation } from 'react-i18next'

const SIGNS = { scheduled: 'processing', 'in-queue': 'processing', done: 'success', error: 'error' } as const

/** How far a push is. */
export function PushStatus({ status }: { readonly status: string }) {
  const { t } = useTranslation('push')
  if (!isKnown(status)) return <Badge status="default" text={status} />
  return <Badge status={SIGNS[status]} text={t(`status.${status}`)} />
}

function isKnown(status: string): status is keyof typeof SIGNS {
  return Object.hasOwn(SIGNS, status)
}
