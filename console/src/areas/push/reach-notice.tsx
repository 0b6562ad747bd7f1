import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { audienceOfResult, audienceQuery, type PushResult, reachOf } from './pushes.ts'
import { useUnreachableText } from './unreachable-text.ts'

/** Reports that a push reached no device, and the reason. */
export function ReachNotice({ push }: { readonly push: PushResult }) {
  const { t } = useTranslation('push')
  const { appId, canChange } = useApp()
  const { number } = useFormat()
  const unreachableText = useUnreachableText()
  const reach = reachOf(push)
  const target = audienceOfResult(push)
  const audience = useQuery({
    ...audienceQuery(appId, target ?? { where: {} }),
    enabled: reach === 'none' && target !== null && canChange,
  })
  if (reach === 'some') return null
  if (reach === 'refused')
    return <Alert type="error" showIcon title={t('reach.refused', { devices: number(push.devices) })} />
  const why = audience.data ? unreachableText(audience.data) : null
  return <Alert type="warning" showIcon title={t('reach.none')} description={why ?? t('reach.noneAbout')} />
}
