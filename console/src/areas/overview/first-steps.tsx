import { Link } from '@tanstack/react-router'
import { Steps, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Card } from '../../parts/card.tsx'
import { clipboardLine } from '../../parts/clipboard-text.ts'

/** The first steps for an empty app. */
export function FirstSteps({ appId, serverUrl }: { readonly appId: string; readonly serverUrl: string }) {
  const { t } = useTranslation('overview')
  const params = { appId }
  const steps = [
    {
      title: (
        <Link to="/apps/$appId/connect" params={params}>
          {t('first.connect')}
        </Link>
      ),
      content: (
        <>
          {t('first.connectAbout')}{' '}
          <Typography.Text code copyable={{ text: clipboardLine(serverUrl) }}>
            {serverUrl}
          </Typography.Text>
        </>
      ),
    },
    {
      title: (
        <Link to="/apps/$appId/data" params={params}>
          {t('first.data')}
        </Link>
      ),
      content: t('first.dataAbout'),
    },
    {
      title: (
        <Link to="/apps/$appId/moving-in" params={params}>
          {t('first.move')}
        </Link>
      ),
      content: t('first.moveAbout'),
    },
  ]
  return (
    <Card title={t('first.title')}>
      <Steps orientation="vertical" current={-1} items={steps} />
    </Card>
  )
}
