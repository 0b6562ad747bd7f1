import { useQuery } from '@tanstack/react-query'
import { Flex, Progress, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type SlowQuery, slowQueriesQuery } from './class-queries.ts'
import { IndexKeys } from './index-keys.tsx'

/** The slow queries of a class, and the indexes created for them. */
export function SlowQueriesTab({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const format = useFormat()
  const { appId } = useApp()
  const { data, error, isPending } = useQuery(slowQueriesQuery(appId, description.className))
  if (data?.queries.length === 0)
    return (
      <EmptyState title={t('slow.none')}>
        {t('slow.noneAbout', { node: data.node, since: format.time(data.since) })}
      </EmptyState>
    )
  return (
    <Flex vertical gap={16}>
      <Typography.Paragraph type="secondary" style={{ margin: 0, maxWidth: 760 }}>
        {t('slow.about')} {data && t('slow.since', { node: data.node, since: format.time(data.since) })}
      </Typography.Paragraph>
      <ProblemNotice error={error} />
      <Card styles={{ body: { padding: 0 } }}>
        <Table<SlowQuery>
          rowKey={({ where, order }) => `${where}\n${order}`}
          loading={isPending}
          dataSource={data?.queries ?? []}
          pagination={false}
          scroll={{ x: 860 }}
          columns={[
            {
              title: t('slow.query'),
              key: 'query',
              render: (_, { where, order }) => (
                <Flex vertical gap={4}>
                  <Typography.Text code style={{ wordBreak: 'break-word' }}>
                    {where === '' ? t('slow.everything') : where}
                  </Typography.Text>
                  {order !== '' && <Typography.Text type="secondary">{t('slow.order', { order })}</Typography.Text>}
                </Flex>
              ),
            },
            {
              title: t('slow.times'),
              key: 'times',
              align: 'end',
              width: 90,
              render: (_, { times }) => format.number(times),
            },
            {
              title: t('slow.mean'),
              key: 'mean',
              align: 'end',
              width: 100,
              render: (_, { totalMilliseconds, times }) => format.duration(totalMilliseconds / times),
            },
            {
              title: t('slow.slowest'),
              key: 'slowest',
              align: 'end',
              width: 100,
              render: (_, { slowestMilliseconds }) => format.duration(slowestMilliseconds),
            },
            { title: t('slow.last'), key: 'last', width: 140, render: (_, { lastAt }) => format.ago(lastAt) },
            { title: t('slow.index'), key: 'index', width: 280, render: (_, query) => <Help query={query} /> },
          ]}
        />
      </Card>
    </Flex>
  )
}

/** Shows the index of a query, or the progress towards building one. */
function Help({ query: { indexes } }: { readonly query: SlowQuery }) {
  const { t } = useTranslation('classes')
  if (indexes.length === 0) return <Typography.Text type="secondary">{t('slow.noIndex')}</Typography.Text>
  return (
    <Flex vertical gap={6}>
      {indexes.map(({ keys, ready, madeBy, progress }) => (
        <Flex key={keys} vertical gap={2}>
          <Flex wrap gap={4} align="center">
            <IndexKeys keys={keys.replace(/^unique /, '').split(',')} isSorted={!keys.startsWith('elements of ')} />
            {ready && <Tag color="success">{t(madeBy === 'homeport' ? 'slow.madeByHomeport' : 'slow.ready')}</Tag>}
          </Flex>
          {!ready && (
            <>
              <Typography.Text type="secondary">{t('slow.watched')}</Typography.Text>
              <Progress percent={Math.round(progress * 100)} size="small" aria-label={t('slow.watched')} />
            </>
          )}
        </Flex>
      ))}
    </Flex>
  )
}
