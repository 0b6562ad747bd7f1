import { Link } from '@tanstack/react-router'
import { Badge, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'

interface ClientNameProps {
  readonly clientId: string
  /** undefined when unknown */
  readonly isOnline?: boolean | undefined
}

/** A messaging client, and its online state. */
export function ClientName({ clientId, isOnline }: ClientNameProps) {
  const { t } = useTranslation('messaging')
  const { appId } = useApp()
  return (
    <Flex gap={8} align="center" wrap>
      <Link to="/apps/$appId/messaging/clients" params={{ appId }} search={{ client: clientId }}>
        <Typography.Text style={{ color: 'inherit', overflowWrap: 'anywhere' }}>{clientId}</Typography.Text>
      </Link>
      {isOnline === true && <Badge status="success" text={t('clients.online')} />}
    </Flex>
  )
}
