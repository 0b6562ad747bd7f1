import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App as AntApp, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Confirmation } from '../../parts/confirmation.tsx'
import type { OnePush } from './pushes.ts'

/** Retries the devices that were given up, if any. */
export function Retry({ push }: { readonly push: OnePush }) {
  const { t } = useTranslation('push')
  const { appId } = useApp()
  const { number } = useFormat()
  const { message } = AntApp.useApp()
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: () =>
      request('POST', '/admin/apps/{appId}/pushes/{pushId}/retry', { params: { appId, pushId: push.id }, body: {} }),
    onSuccess: () => void message.success(t('retry.done')),
    onError: (error) => void message.error(error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['apps', appId, 'pushes'] }),
  })
  const { devices, brokeOff } = push.givenUp
  if (devices === 0 && !brokeOff) return null
  return (
    <Confirmation
      title={t('retry.title')}
      description={t(brokeOff ? 'retry.brokeOff' : 'retry.about', { shown: number(devices) })}
      okText={t('retry.open')}
      onConfirm={() => retry.mutate()}
    >
      <Button loading={retry.isPending}>{t('retry.open')}</Button>
    </Confirmation>
  )
}
