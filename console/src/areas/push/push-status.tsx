import { Badge } from 'antd'
import { useTranslation } from 'react-i18next'
import { type PushResult, reachOf } from './pushes.ts'

const SIGNS = { scheduled: 'processing', 'in-queue': 'processing', done: 'success', error: 'error' } as const

/** The state of a push; for a finished one, whether it reached any device. */
export function PushStatus({ push }: { readonly push: Pick<PushResult, 'status' | 'devices' | 'successes'> }) {
  const { t } = useTranslation('push')
  const { status } = push
  if (!isKnown(status)) return <Badge status="default" text={status} />
  if (reachOf(push) !== 'some') return <Badge status="warning" text={t('status.unreached')} />
  return <Badge status={SIGNS[status]} text={t(`status.${status}`)} />
}

function isKnown(status: string): status is keyof typeof SIGNS {
  return Object.hasOwn(SIGNS, status)
}
