import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { App as AntApp, Badge, Button, Flex, Input, Statistic, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Card } from '../../../parts/card.tsx'
import { Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { kick, onlineQuery, statisticsQuery } from '../clients.ts'
import { MessagingLinks } from '../messaging-links.tsx'
import { ConversationsOfClient } from './conversations-of-client.tsx'
import { OnlineList } from './online-list.tsx'

/** The number of online clients; the online state and conversations of one client. */
export function ClientsPage() {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { number } = useFormat()
  const navigate = useNavigate()
  const { client } = useSearch({ from: '/signed-in/apps/$appId/messaging/clients' })
  const statistics = useQuery(statisticsQuery(app))
  const look = (text: string) =>
    void navigate({
      to: '/apps/$appId/messaging/clients',
      params: { appId: app.appId },
      search: text.trim() ? { client: text.trim() } : {},
    })
  return (
    <Page title={t('clients.title')} about={t('clients.about')}>
      <MessagingLinks />
      <ProblemNotice error={statistics.error} onRetry={() => void statistics.refetch()} />
      <Flex wrap gap={16}>
        {(['online', 'today'] as const).map((name) => (
          <Card key={name} style={{ width: 220 }}>
            <Statistic
              title={t(`clients.count.${name}`)}
              value={statistics.data?.[name] ?? '–'}
              loading={statistics.isPending}
              formatter={(value) => (typeof value === 'number' ? number(value) : value)}
            />
          </Card>
        ))}
      </Flex>
      <Input.Search
        key={client ?? ''}
        aria-label={t('clients.search')}
        placeholder={t('clients.search')}
        defaultValue={client ?? ''}
        enterButton
        style={{ maxWidth: 420 }}
        onSearch={look}
      />
      {client === undefined && <OnlineList />}
      {client !== undefined && (
        <>
          <ClientCard key={client} clientId={client} />
          <ConversationsOfClient clientId={client} />
        </>
      )}
    </Page>
  )
}

/** Maximum number of characters of a reason. */
const LONGEST_REASON = 20

function ClientCard({ clientId }: { readonly clientId: string }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { message } = AntApp.useApp()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const { data, error, refetch } = useQuery(onlineQuery(app.appId, [clientId]))
  const isOnline = data?.includes(clientId) ?? false
  const end = useMutation({
    mutationFn: () => kick(app, clientId, reason),
    onSuccess: async () => {
      void message.success(t('clients.kicked', { client: clientId }))
      await queries.invalidateQueries({ queryKey: ['apps', app.appId, 'clients'] })
    },
  })
  return (
    <Card>
      <Flex vertical gap={12}>
        <ProblemNotice error={error} onRetry={() => void refetch()} />
        <Flex gap={8} align="center" wrap>
          <Typography.Text strong style={{ overflowWrap: 'anywhere' }}>
            {clientId}
          </Typography.Text>
          {data && (
            <Badge
              status={isOnline ? 'success' : 'default'}
              text={isOnline ? t('clients.online') : t('clients.offline')}
            />
          )}
        </Flex>
        {app.canChange && (
          <>
            <ProblemNotice error={end.error} />
            <Flex gap={8} wrap>
              <Input
                aria-label={t('clients.reason')}
                placeholder={t('clients.reason')}
                maxLength={LONGEST_REASON}
                style={{ width: 260, maxWidth: '100%' }}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
              <Button danger loading={end.isPending} onClick={() => end.mutate()}>
                {t('clients.kick')}
              </Button>
            </Flex>
            <Typography.Text type="secondary">{t('clients.kickAbout')}</Typography.Text>
          </>
        )}
      </Flex>
    </Card>
  )
}
