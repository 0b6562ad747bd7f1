import { DeleteOutlined } from '@ant-design/icons'
import { useNavigate } from '@tanstack/react-router'
import { Button, Flex, Typography, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { Card } from '../../parts/card.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { useAppDeletion } from '../apps/app-changes.ts'

/** Irreversible actions. */
export function DangerZone({ app }: { readonly app: App }) {
  const { t } = useTranslation('overview')
  const { token } = theme.useToken()
  const navigate = useNavigate()
  const [isConfirming, setIsConfirming] = useState(false)
  const deletion = useAppDeletion(app.appId, () => navigate({ to: '/' }))
  return (
    <Card title={t('danger.title')} style={{ borderColor: token.colorErrorBorder }}>
      <Flex wrap gap={16} align="center" justify="space-between">
        <div style={{ flex: '1 1 320px' }}>
          <Typography.Text strong>{t('danger.delete')}</Typography.Text>
          <div>
            <Typography.Text type="secondary">{t('danger.about')}</Typography.Text>
          </div>
        </div>
        <Button danger icon={<DeleteOutlined />} onClick={() => setIsConfirming(true)}>
          {t('danger.delete')}
        </Button>
      </Flex>
      <ConfirmByName
        open={isConfirming}
        title={t('danger.delete')}
        name={app.name}
        isPending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate()}
        onCancel={() => setIsConfirming(false)}
      >
        {t('danger.about')}
      </ConfirmByName>
    </Card>
  )
}
