import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Flex, Tag, Typography } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Table } from '../../parts/table.tsx'
import { type User, usersQuery } from './users-queries.ts'

interface UsersTableProps {
  readonly appId: string
  readonly search: string
  /** The first step when there are no users. */
  readonly action: ReactNode
  onOpen(userId: string): void
}

/** Users, newest first, page by page. */
export function UsersTable({ appId, search, action, onOpen }: UsersTableProps) {
  const { t } = useTranslation('users')
  const format = useFormat()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    usersQuery(appId, search),
  )
  const users = data?.pages.flatMap(({ results }) => results) ?? []
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (!isPending && users.length === 0)
    return search === '' ? (
      <EmptyState title={t('none')} action={action}>
        {t('noneAbout')}
      </EmptyState>
    ) : (
      <EmptyState title={t('notFound')} />
    )
  const verified = (value: unknown, isVerified: unknown) =>
    value ? (
      <Flex gap={6} align="center">
        <span>{shownText(value)}</span>
        {isVerified === true && <Tag color="success">{t('verified')}</Tag>}
      </Flex>
    ) : null
  return (
    <Card styles={{ body: { padding: 0 } }}>
      <Table<User>
        rowKey="objectId"
        size="middle"
        loading={isPending}
        pagination={false}
        scroll={{ x: 'max-content' }}
        dataSource={users}
        columns={[
          {
            title: t('fields.username'),
            render: (_, { username, objectId }) => (
              <Button type="link" style={{ padding: 0 }} onClick={() => onOpen(objectId)}>
                {shownText(username) || objectId}
              </Button>
            ),
          },
          { title: t('fields.email'), render: (_, user) => verified(user.email, user.emailVerified) },
          {
            title: t('fields.mobilePhoneNumber'),
            render: (_, user) => verified(user.mobilePhoneNumber, user.mobilePhoneVerified),
          },
          {
            title: t('fields.createdAt'),
            render: (_, { createdAt }) => <span title={format.time(createdAt)}>{format.ago(createdAt)}</span>,
          },
          { title: 'objectId', render: (_, { objectId }) => <Typography.Text code>{objectId}</Typography.Text> },
        ]}
      />
      {hasNextPage && (
        <Flex justify="center" style={{ padding: 12 }}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('more')}
          </Button>
        </Flex>
      )}
    </Card>
  )
}
