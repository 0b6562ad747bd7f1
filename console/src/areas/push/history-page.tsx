import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { ComposeLink } from './compose-link.tsx'
import { PushLinks } from './push-links.tsx'
import { PushStatus } from './push-status.tsx'
import { type PushResult, pushesQuery, textOf } from './pushes.ts'

/** The pushes of the last days, and their results. */
export function HistoryPage() {
  const { t } = useTranslation('push')
  const { appId } = useApp()
  const { number, time } = useFormat()
  const list = useInfiniteQuery(pushesQuery(appId))
  return (
    <Page title={t('title')} about={t('about')} actions={<ComposeLink />}>
      <PushLinks />
      <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
      <Table<PushResult>
        rowKey="id"
        size="middle"
        loading={list.isPending}
        dataSource={list.data?.pages.flat() ?? []}
        pagination={false}
        scroll={{ x: 820 }}
        locale={{
          emptyText: list.isPending ? ' ' : <EmptyState title={t('history.none')}>{t('history.noneAbout')}</EmptyState>,
        }}
        columns={[
          {
            title: t('history.push'),
            render: (_, { id, data, service, environment }) => (
              <Flex vertical gap={2}>
                <Link to="/apps/$appId/push/results/$pushId" params={{ appId, pushId: id }}>
                  <Typography.Text ellipsis style={{ color: 'inherit', maxWidth: 420 }}>
                    {textOf(data)}
                  </Typography.Text>
                </Link>
                <Flex gap={4}>
                  {service === 'rtm' && <Tag>{t('history.byMessaging')}</Tag>}
                  {environment === 'dev' && <Tag>{t('environment.dev')}</Tag>}
                </Flex>
              </Flex>
            ),
          },
          { title: t('history.time'), render: (_, { createdAt, pushAt }) => time(pushAt ?? createdAt) },
          { title: t('history.status'), render: (_, push) => <PushStatus push={push} /> },
          { title: t('history.devices'), align: 'right', render: (_, { devices }) => number(devices) },
          { title: t('history.taken'), align: 'right', render: (_, { successes }) => number(sum(successes)) },
          { title: t('history.failed'), align: 'right', render: (_, { failures }) => number(countOf(failures)) },
        ]}
      />
      {list.hasNextPage && (
        <Flex justify="center">
          <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more')}
          </Button>
        </Flex>
      )}
    </Page>
  )
}

function sum(counts: { readonly [name: string]: number }): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

function countOf(failures: PushResult['failures']): number {
  return failures.reduce((total, { count }) => total + count, 0)
}
