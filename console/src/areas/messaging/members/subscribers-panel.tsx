import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Flex, Statistic } from 'antd'
import { useTranslation } from 'react-i18next'
import { path } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Table } from '../../../parts/table.tsx'
import { useUndo } from '../../../parts/use-undo.tsx'
import { ClientName } from '../client-name.tsx'
import { onlineQuery } from '../clients.ts'
import type { Conversation } from '../conversations.ts'
import { useConversationChange } from '../use-conversation-change.ts'
import { AddClient } from './add-client.tsx'
import { pathOf, type Subscriber, subscriberCountQuery, subscribersQuery } from './members.ts'

/** The subscribers of a service conversation. */
export function SubscribersPanel({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { time, number } = useFormat()
  const notifyDone = useUndo()
  const list = useInfiniteQuery(subscribersQuery(app, conversation))
  const count = useQuery(subscriberCountQuery(app, conversation))
  const subscribers = list.data?.pages.flat() ?? []
  const online = useQuery(
    onlineQuery(
      app.appId,
      subscribers.slice(-100).map(({ subscriber }) => subscriber),
    ),
  )
  const conversationPath = pathOf(conversation)
  const add = useConversationChange((clientId: string) =>
    app.call('POST', `${conversationPath}/subscribers`, { body: { client_id: clientId } }),
  )
  const remove = useConversationChange(async (clientId: string) => {
    await app.call('DELETE', `${conversationPath}${path`/subscribers/${clientId}`}`)
    notifyDone(t('subscribers.removed', { client: clientId }), () => add.mutateAsync(clientId))
  })
  return (
    <Flex vertical gap={12}>
      <ProblemNotice error={list.error ?? count.error} onRetry={() => void list.refetch()} />
      <Statistic title={t('subscribers.count')} value={count.data ?? 0} formatter={(value) => number(Number(value))} />
      {app.canChange && (
        <AddClient
          label={t('members.clientId')}
          action={t('subscribers.add')}
          isPending={add.isPending}
          onAdd={(clientId) => add.mutateAsync(clientId)}
        />
      )}
      <Table<Subscriber>
        rowKey="subscriber"
        size="middle"
        scroll={{ x: 520 }}
        loading={list.isPending}
        pagination={false}
        dataSource={subscribers}
        locale={{
          emptyText: list.isPending ? (
            ' '
          ) : (
            <EmptyState title={t('subscribers.none')}>{t('subscribers.noneAbout')}</EmptyState>
          ),
        }}
        columns={[
          {
            title: t('members.client'),
            render: (_, { subscriber }) => (
              <ClientName clientId={subscriber} isOnline={online.data?.includes(subscriber)} />
            ),
          },
          { title: t('subscribers.since'), render: (_, { timestamp }) => time(timestamp) },
          {
            title: t('members.actions'),
            key: 'actions',
            render: (_, { subscriber }) => (
              <Flex gap={8} wrap>
                <Link
                  to="/apps/$appId/messaging/conversations/$convId"
                  params={{ appId: app.appId, convId: conversation.id }}
                  search={{ client: subscriber }}
                >
                  {t('subscribers.messages')}
                </Link>
                {app.canChange && (
                  <Button
                    size="small"
                    aria-label={t('members.removeOne', { client: subscriber })}
                    onClick={() => remove.mutate(subscriber)}
                  >
                    {t('members.remove')}
                  </Button>
                )}
              </Flex>
            ),
          },
        ]}
      />
      {list.hasNextPage && (
        <Flex justify="center">
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more')}
          </Button>
        </Flex>
      )}
    </Flex>
  )
}
