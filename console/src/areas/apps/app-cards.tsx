import { Link } from '@tanstack/react-router'
import { Avatar, Card, Flex, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { useFormat } from '../../i18n/format.ts'

/** Shows each app as a card with a link. */
export function AppCards({ apps }: { readonly apps: readonly App[] }) {
  const { t } = useTranslation('apps')
  const { token } = theme.useToken()
  const format = useFormat()
  return (
    <div style={{ display: 'grid', gap: 16, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 300px), 1fr))' }}>
      {apps.map(({ appId, name, ownerEmail, createdAt }) => (
        <Link key={appId} to="/apps/$appId" params={{ appId }} style={{ minWidth: 0 }}>
          <Card hoverable style={{ height: '100%' }}>
            <Flex gap={14} align="start">
              <Avatar shape="square" size={44} style={{ background: token.colorPrimary, flex: 'none' }} aria-hidden>
                {[...name][0]?.toUpperCase()}
              </Avatar>
              <Flex vertical gap={2} style={{ minWidth: 0 }}>
                <Typography.Text translate="no" strong ellipsis style={{ fontSize: 16 }}>
                  {name}
                </Typography.Text>
                <Typography.Text type="secondary" ellipsis style={{ fontFamily: token.fontFamilyCode, fontSize: 12 }}>
                  {appId}
                </Typography.Text>
                <Typography.Text type="secondary" ellipsis style={{ fontSize: 12 }}>
                  {ownerEmail ?? t('made', { ago: format.ago(createdAt) })}
                </Typography.Text>
              </Flex>
            </Flex>
          </Card>
        </Link>
      ))}
    </div>
  )
}
