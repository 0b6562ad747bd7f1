import { Alert, App as AntApp, Checkbox, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { type Key, useAppChange } from '../apps/app-changes.ts'

interface RotateDialogProps {
  readonly app: App
  onClose(): void
}

const KEYS: readonly Key[] = ['masterKey', 'hookKey', 'appKey']

/** Rotates keys, after listing what stops working with the old ones. */
export function RotateDialog({ app, onClose }: RotateDialogProps) {
  const { t } = useTranslation(['overview', 'apps'])
  const { message } = AntApp.useApp()
  const [chosen, setChosen] = useState<readonly Key[]>(['masterKey'])
  const rotating = useAppChange(app.appId)
  const rotate = () =>
    rotating.mutate(
      { rotateKeys: chosen },
      {
        onSuccess: () => {
          void message.success(t('rotate.done'))
          onClose()
        },
      },
    )
  const toggle = (key: Key, isChosen: boolean) =>
    setChosen(isChosen ? [...chosen, key] : chosen.filter((other) => other !== key))
  return (
    <Dialog
      open
      title={t('rotate.title')}
      okText={t('rotate.confirm', { count: chosen.length })}
      okButtonProps={{ danger: true, disabled: chosen.length === 0, loading: rotating.isPending }}
      onOk={rotate}
      onCancel={onClose}
    >
      <Alert showIcon type="warning" title={t('rotate.warning')} style={{ marginBottom: 16 }} />
      <Flex vertical gap={12} style={{ marginBottom: 16 }}>
        {KEYS.map((key) => (
          <Checkbox key={key} checked={chosen.includes(key)} onChange={(event) => toggle(key, event.target.checked)}>
            <div>{t(`apps:keys.${key}`)}</div>
            <Typography.Text type="secondary">{t(`rotate.breaks.${key}`)}</Typography.Text>
          </Checkbox>
        ))}
      </Flex>
      <ProblemNotice error={rotating.error} />
    </Dialog>
  )
}
