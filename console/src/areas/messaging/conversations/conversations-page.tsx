import { NotificationOutlined, PlusOutlined } from '@ant-design/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { ListSearch } from '../conversation-search.ts'
import { conversationsQuery } from '../conversations.ts'
import { MessagingLinks } from '../messaging-links.tsx'
import { Broadcast } from './broadcast.tsx'
import { ConversationFilters } from './conversation-filters.tsx'
import { ConversationTable } from './conversation-table.tsx'
import { NewConversation } from './new-conversation.tsx'

/** The conversations of an app, with a search. */
export function ConversationsPage() {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const navigate = useNavigate()
  const search = useSearch({ from: '/signed-in/apps/$appId/messaging' })
  const [opened, setOpened] = useState<'new' | 'broadcast' | null>(null)
  const { kind = 'all', name = '', member = '', sort = 'created' } = search
  const conversations = useInfiniteQuery(conversationsQuery(app, { kind, name, member, sort }))
  const look = (changed: ListSearch) =>
    navigate({ to: '/apps/$appId/messaging', params: { appId: app.appId }, search: { ...search, ...changed } })
  const close = () => setOpened(null)
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        app.canChange && (
          <>
            <Button icon={<NotificationOutlined />} onClick={() => setOpened('broadcast')}>
              {t('broadcast.open')}
            </Button>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpened('new')}>
              {t('new.open')}
            </Button>
          </>
        )
      }
    >
      <MessagingLinks />
      <ConversationFilters search={{ kind, name, member, sort }} onChange={(changed) => void look(changed)} />
      <ProblemNotice error={conversations.error} onRetry={() => void conversations.refetch()} />
      <ConversationTable
        conversations={conversations.data?.pages.flat() ?? []}
        isLoading={conversations.isPending}
        isFiltered={kind !== 'all' || name !== '' || member !== '' || sort !== 'created'}
        hasMore={conversations.hasNextPage}
        isLoadingMore={conversations.isFetchingNextPage}
        onMore={() => void conversations.fetchNextPage()}
      />
      {opened === 'new' && <NewConversation onClose={close} />}
      {opened === 'broadcast' && <Broadcast onClose={close} />}
    </Page>
  )
}
