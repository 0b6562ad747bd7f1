import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { DownloadButton } from '../../parts/download-button.tsx'

/** All data of the app as an archive. */
export function WayOut() {
  const { t } = useTranslation('movingIn')
  const { appId } = useApp()
  return (
    <Card title={t('out.title')}>
      <Flex wrap gap={16} justify="space-between" align="center">
        <Typography.Text type="secondary" style={{ maxWidth: 680 }}>
          {t('out.about')}
        </Typography.Text>
        <DownloadButton path={path`/admin/apps/${appId}/export`}>{t('out.download')}</DownloadButton>
      </Flex>
    </Card>
  )
}
