import { Link } from '@tanstack/react-router'
import { Button, Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Table } from '../../../parts/table.tsx'
import type { Conversation } from '../conversations.ts'

interface ConversationTableProps {
  readonly conversations: readonly Conversation[]
  readonly isLoading: boolean
  /** Whether a filter is active. */
  readonly isFiltered: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  onMore(): void
}

/** Conversations with links to their pages. */
export function ConversationTable({
  conversations,
  isLoading,
  isFiltered,
  hasMore,
  isLoadingMore,
  onMore,
}: ConversationTableProps) {
  const { t } = useTranslation('messaging')
  const { appId } = useApp()
  const { time, ago, number } = useFormat()
  return (
    <>
      <Table<Conversation>
        rowKey="id"
        size="middle"
        loading={isLoading}
        dataSource={conversations}
        pagination={false}
        scroll={{ x: 760 }}
        locale={{
          emptyText: isLoading ? (
            ' '
          ) : isFiltered ? (
            <EmptyState title={t('list.noneFit')}>{t('list.noneFitAbout')}</EmptyState>
          ) : (
            <EmptyState title={t('list.none')}>{t('list.noneAbout')}</EmptyState>
          ),
        }}
        columns={[
          {
            title: t('list.conversation'),
            render: (_, { id, name }) => (
              <Flex vertical>
                <Link to="/apps/$appId/messaging/conversations/$convId" params={{ appId, convId: id }}>
                  {name || id}
                </Link>
                {name && <Typography.Text type="secondary">{id}</Typography.Text>}
              </Flex>
            ),
          },
          { title: t('list.kind'), render: (_, { kind }) => <Tag>{t(`kinds.${kind}`)}</Tag> },
          {
            title: t('list.members'),
            align: 'right',
            render: (_, { kind, members }) =>
              kind === 'room' || kind === 'system' ? (
                '–'
              ) : (
                <span title={firstOf(members)}>{number(members.length)}</span>
              ),
          },
          {
            title: t('list.lastMessage'),
            render: (_, { lastMessageAt }) =>
              lastMessageAt ? <span title={time(lastMessageAt)}>{ago(lastMessageAt)}</span> : '–',
          },
          {
            title: t('list.created'),
            render: (_, { createdAt, expiresAt }) => (
              <Flex vertical>
                <span>{time(createdAt)}</span>
                {expiresAt && (
                  <Typography.Text type="secondary">{t('list.ends', { time: time(expiresAt) })}</Typography.Text>
                )}
              </Flex>
            ),
          },
        ]}
      />
      {hasMore && (
        <Flex justify="center">
          <Button loading={isLoadingMore} onClick={onMore}>
            {t('more')}
          </Button>
        </Flex>
      )}
    </>
  )
}

function firstOf(members: readonly string[]): string {
  return members.slice(0, 20).join(', ')
}
