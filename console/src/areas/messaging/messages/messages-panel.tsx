import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Flex, Input, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Card } from '../../../parts/card.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { Conversation } from '../conversations.ts'
import { Composer } from './composer.tsx'
import { MessageRow } from './message-row.tsx'
import { messagesQuery } from './messages.ts'

/** The live messages of a conversation, newest at the bottom, with a composer. */
export function MessagesPanel({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { client = '' } = useSearch({ from: '/signed-in/apps/$appId/messaging/conversations/$convId' })
  const query = useInfiniteQuery(messagesQuery(app, conversation.id, client))
  const pages = query.data?.pages ?? []
  const messages = pages.flat().reverse()
  return (
    <Card styles={{ body: { padding: 0 } }}>
      {conversation.kind === 'system' && <SubscriberChoice convId={conversation.id} client={client} />}
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      {/* Reversed, so that the browser keeps the newest message visible. */}
      <section
        aria-label={t('messages.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        style={{
          display: 'flex',
          flexDirection: 'column-reverse',
          height: 'max(320px, calc(100dvh - 400px - var(--toasts-height, 0px)))',
          overflowY: 'auto',
          padding: '8px 16px',
        }}
      >
        <div role="log">
          {query.hasNextPage && (
            <Flex justify="center" style={{ padding: 8 }}>
              <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t('messages.older')}
              </Button>
            </Flex>
          )}
          {query.isPending && <Loading />}
          {query.isSuccess && messages.length === 0 && (
            <EmptyState title={t('messages.none')}>{t('messages.noneAbout')}</EmptyState>
          )}
          {messages.map((message) => (
            <MessageRow key={message.id} conversation={conversation} message={message} />
          ))}
        </div>
      </section>
      {pages.length > 3 && (
        <Typography.Paragraph type="secondary" style={{ margin: 0, padding: '4px 16px' }}>
          {t('messages.notLive')}
        </Typography.Paragraph>
      )}
      {app.canChange && conversation.kind !== 'temporary' && <Composer conversation={conversation} />}
    </Card>
  )
}

/** The subscriber of a service conversation whose messages are shown besides the broadcasts. */
function SubscriberChoice({ convId, client }: { readonly convId: string; readonly client: string }) {
  const { t } = useTranslation('messaging')
  const { appId } = useApp()
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({
      to: '/apps/$appId/messaging/conversations/$convId',
      params: { appId, convId },
      search: chosen.trim() ? { client: chosen.trim() } : {},
    })
  return (
    <div style={{ padding: '12px 16px 0' }}>
      <Input.Search
        key={client}
        aria-label={t('messages.subscriber')}
        placeholder={t('messages.subscriber')}
        style={{ maxWidth: 360 }}
        defaultValue={client}
        onSearch={choose}
      />
    </div>
  )
}
