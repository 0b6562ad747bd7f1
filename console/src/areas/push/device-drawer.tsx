import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { App as AntApp, Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { JsonEditor } from '../../parts/json-editor.tsx'
import type { Device } from './devices.ts'

interface DeviceDrawerProps {
  /** null: closed */
  readonly device: Device | null
  onClose(): void
}

/** All data of a device, and actions on it. */
export function DeviceDrawer({ device, onClose }: DeviceDrawerProps) {
  const { t } = useTranslation('push')
  const app = useApp()
  return (
    <Drawer open={device !== null} onClose={onClose} title={device?.objectId} size={520}>
      {device && (
        <Flex vertical gap={16}>
          {!app.canChange && <Typography.Text type="secondary">{t('devices.withoutTokens')}</Typography.Text>}
          <JsonEditor readOnly height="420px" label={t('devices.device')} value={JSON.stringify(device, null, 2)} />
          {app.canChange && <DeviceActions device={device} onClose={onClose} />}
        </Flex>
      )}
    </Drawer>
  )
}

function DeviceActions({ device: { objectId }, onClose }: { readonly device: Device; onClose(): void }) {
  const { t } = useTranslation('push')
  const app = useApp()
  const { modal, message } = AntApp.useApp()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => app.call('DELETE', path`/1.1/installations/${objectId}`),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'devices'] })
    },
    onError: (error) => void message.error(error.message),
  })
  const confirmRemoval = () =>
    modal.confirm({
      title: t('devices.removeTitle'),
      content: t('devices.removeAbout'),
      okText: t('devices.remove'),
      okButtonProps: { danger: true },
      onOk: () => remove.mutate(),
    })
  return (
    <Flex wrap gap={8}>
      <Button
        type="primary"
        onClick={() =>
          void navigate({ to: '/apps/$appId/push/new', params: { appId: app.appId }, search: { device: objectId } })
        }
      >
        {t('devices.push')}
      </Button>
      <Button danger loading={remove.isPending} onClick={confirmRemoval}>
        {t('devices.remove')}
      </Button>
    </Flex>
  )
}
