import { KeyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { AppKeys } from '../apps/app-keys.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

/** The id and keys of an app, with their rotation. */
export function KeysCard({ app }: { readonly app: OpenApp }) {
  const { t } = useTranslation('overview')
  const [isRotating, setIsRotating] = useState(false)
  const rotate = app.canChange && (
    <Button icon={<KeyOutlined />} onClick={() => setIsRotating(true)}>
      {t('rotate.title')}
    </Button>
  )
  return (
    <Card title={t('keys')} extra={rotate} style={{ flex: '2 1 460px', minWidth: 0 }}>
      <AppKeys app={app} />
      {isRotating && <RotateDialog app={app} onClose={() => setIsRotating(false)} />}
    </Card>
  )
}
