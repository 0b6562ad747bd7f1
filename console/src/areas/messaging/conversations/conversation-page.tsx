import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Flex, Segmented, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { clipboardLine } from '../../../parts/clipboard-text.ts'
import { Loading } from '../../../parts/loading.tsx'
import { Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { CONVERSATION_TABS, type ConversationTab } from '../conversation-search.ts'
import { type Conversation, conversationQuery } from '../conversations.ts'
import { MembersPanel } from '../members/members-panel.tsx'
import { ModerationPanel } from '../members/moderation-panel.tsx'
import { ParticipantsPanel } from '../members/participants-panel.tsx'
import { SubscribersPanel } from '../members/subscribers-panel.tsx'
import { MessagesPanel } from '../messages/messages-panel.tsx'
import { AttributesPanel } from './attributes-panel.tsx'

/** One conversation: its messages, members, and other data. */
export function ConversationPage() {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { convId } = useParams({ from: '/signed-in/apps/$appId/messaging/conversations/$convId' })
  const { tab = 'messages' } = useSearch({ from: '/signed-in/apps/$appId/messaging/conversations/$convId' })
  const navigate = useNavigate()
  const { data: conversation, error, refetch } = useQuery(conversationQuery(app, convId))
  const open = (next: ConversationTab) =>
    void navigate({
      to: '/apps/$appId/messaging/conversations/$convId',
      params: { appId: app.appId, convId },
      search: { tab: next },
    })
  return (
    <Page
      title={conversation?.name || convId}
      about={
        <Flex wrap gap={8} align="center">
          <Link to="/apps/$appId/messaging" params={{ appId: app.appId }}>
            {t('back')}
          </Link>
          {conversation && <Tag>{t(`kinds.${conversation.kind}`)}</Tag>}
          <Typography.Text type="secondary" copyable={{ text: clipboardLine(convId) }}>
            {convId}
          </Typography.Text>
        </Flex>
      }
    >
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {conversation && (
        <div style={{ overflowX: 'auto' }}>
          <Segmented<ConversationTab>
            aria-label={t('tabs.label')}
            value={tab}
            onChange={open}
            options={tabsOf(conversation).map((value) => ({ value, label: t(`tabs.${value}`) }))}
          />
        </div>
      )}
      {conversation ? <Panel key={`${convId} ${tab}`} tab={tab} conversation={conversation} /> : !error && <Loading />}
    </Page>
  )
}

/** Returns the tabs of a conversation. Temporary ones have no moderation. */
function tabsOf({ kind }: Conversation): readonly ConversationTab[] {
  return kind === 'temporary' ? CONVERSATION_TABS.filter((tab) => tab !== 'moderation') : CONVERSATION_TABS
}

function Panel({ tab, conversation }: { readonly tab: ConversationTab; readonly conversation: Conversation }) {
  switch (tab) {
    case 'messages':
      return <MessagesPanel conversation={conversation} />
    case 'members':
      if (conversation.kind === 'room') return <ParticipantsPanel conversation={conversation} />
      if (conversation.kind === 'system') return <SubscribersPanel conversation={conversation} />
      return <MembersPanel conversation={conversation} />
    case 'moderation':
      return <ModerationPanel conversation={conversation} />
    case 'attributes':
      return <AttributesPanel conversation={conversation} />
  }
}
