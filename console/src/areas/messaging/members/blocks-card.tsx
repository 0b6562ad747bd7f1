import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Card } from '../../../parts/card.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Table } from '../../../parts/table.tsx'
import { ClientName } from '../client-name.tsx'
import type { Conversation } from '../conversations.ts'
import { useConversationChange } from '../use-conversation-change.ts'
import { AddClient } from './add-client.tsx'
import { blocksQuery, pathOf } from './members.ts'

/** The blacklist of a conversation. */
export function BlocksCard({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const list = useInfiniteQuery(blocksQuery(app, conversation))
  const path = `${pathOf(conversation)}/blacklists`
  const block = useConversationChange((clientId: string) =>
    app.call('POST', path, { body: { client_ids: [clientId] } }),
  )
  const unblock = useConversationChange((clientId: string) =>
    app.call('DELETE', path, { query: { client_ids: [clientId] } }),
  )
  return (
    <Card title={t('blocks.title')} style={{ flex: '1 1 420px', minWidth: 0 }}>
      <Flex vertical gap={12}>
        <Typography.Text type="secondary">{t('blocks.about')}</Typography.Text>
        <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
        {app.canChange && (
          <AddClient
            label={t('blocks.client')}
            action={t('blocks.block')}
            isPending={block.isPending}
            onAdd={(clientId) => block.mutateAsync(clientId)}
          />
        )}
        <Table<{ readonly clientId: string }>
          rowKey="clientId"
          size="small"
          loading={list.isPending}
          pagination={false}
          dataSource={list.data?.pages.flatMap((page) => page.client_ids).map((clientId) => ({ clientId })) ?? []}
          locale={{
            emptyText: <Typography.Text type="secondary">{list.isPending ? ' ' : t('blocks.none')}</Typography.Text>,
          }}
          columns={[
            { title: t('members.client'), render: (_, { clientId }) => <ClientName clientId={clientId} /> },
            {
              title: t('members.actions'),
              key: 'actions',
              hidden: !app.canChange,
              render: (_, { clientId }) => (
                <Button
                  size="small"
                  aria-label={t('blocks.liftOne', { client: clientId })}
                  onClick={() => unblock.mutate(clientId)}
                >
                  {t('blocks.lift')}
                </Button>
              ),
            },
          ]}
        />
        {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>{t('more')}</Button>}
      </Flex>
    </Card>
  )
}
