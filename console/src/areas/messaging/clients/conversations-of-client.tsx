import { useInfiniteQuery } from '@tanstack/react-query'
import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { ConversationTable } from '../conversations/conversation-table.tsx'
import { conversationsQuery } from '../conversations.ts'

/** The conversations of a client, newest first. */
export function ConversationsOfClient({ clientId }: { readonly clientId: string }) {
  const { t } = useTranslation('messaging')
  const list = useInfiniteQuery(
    conversationsQuery(useApp(), { kind: 'all', name: '', member: clientId, sort: 'created' }),
  )
  return (
    <section>
      <Typography.Title level={2} style={{ fontSize: 16 }}>
        {t('clients.conversations')}
      </Typography.Title>
      <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
      <ConversationTable
        conversations={list.data?.pages.flat() ?? []}
        isLoading={list.isPending}
        isFiltered
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        onMore={() => void list.fetchNextPage()}
      />
    </section>
  )
}
