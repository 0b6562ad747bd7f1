import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { App as AntApp, Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Card } from '../../../parts/card.tsx'
import { Confirmation } from '../../../parts/confirmation.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { ClientName } from '../client-name.tsx'
import { kick, onlineClientsQuery } from '../clients.ts'

/** All online clients, with an action that ends their sessions. */
export function OnlineList() {
  const { t } = useTranslation('messaging')
  const { appId, canChange } = useApp()
  const query = useInfiniteQuery(onlineClientsQuery(appId))
  const clients = query.data?.pages.flatMap((page) => page.clients) ?? []
  const [first] = query.data?.pages ?? []
  return (
    <Card title={t('clients.list.title')}>
      <Flex vertical gap={12}>
        <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
        {first && !first.isOfAllNodes && (
          <Typography.Text type="secondary">{t('clients.list.ofNode', { node: first.node })}</Typography.Text>
        )}
        {query.isPending && <Loading />}
        {first && clients.length === 0 && <EmptyState title={t('clients.list.noClients')} />}
        {clients.length > 0 && (
          <ul aria-label={t('clients.list.title')} style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            {clients.map((clientId) => (
              <li key={clientId} style={{ padding: '4px 0' }}>
                <Flex gap={8} align="center" justify="space-between">
                  <span style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                    <ClientName clientId={clientId} />
                  </span>
                  {canChange && <KickButton clientId={clientId} />}
                </Flex>
              </li>
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('clients.list.more')}
          </Button>
        )}
      </Flex>
    </Card>
  )
}

function KickButton({ clientId }: { readonly clientId: string }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { message } = AntApp.useApp()
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => kick(app, clientId, ''),
    onSuccess: () => void message.success(t('clients.kicked', { client: clientId })),
    onError: (error) => void message.error(error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['apps', app.appId, 'clients'] }),
  })
  return (
    <Confirmation
      title={t('clients.list.kickTitle', { client: clientId })}
      description={t('clients.kickAbout')}
      okText={t('clients.kick')}
      okButtonProps={{ danger: true }}
      onConfirm={() => end.mutate()}
    >
      <Button size="small" danger loading={end.isPending} aria-label={t('clients.list.kick', { client: clientId })}>
        {t('clients.kick')}
      </Button>
    </Confirmation>
  )
}
