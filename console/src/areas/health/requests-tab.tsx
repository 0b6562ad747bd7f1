import { useQuery } from '@tanstack/react-query'
import { Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type CountedRoute, healthQuery, type SlowRequest } from './health-queries.ts'

/** Slow requests: by route, and single ones. */
export function RequestsTab() {
  const { t } = useTranslation('health')
  const health = useQuery(healthQuery)
  if (health.isPending) return <Loading />
  return (
    <Flex vertical gap={16}>
      <ProblemNotice error={health.error} onRetry={() => void health.refetch()} />
      {health.data && (
        <>
          <Typography.Text type="secondary">{t('requests.about', { node: health.data.node })}</Typography.Text>
          <Card size="small" title={t('requests.routes')}>
            <Routes routes={health.data.routes} />
          </Card>
          <Card size="small" title={t('requests.slow')}>
            <Slow requests={health.data.slow} />
          </Card>
        </>
      )}
    </Flex>
  )
}

function Routes({ routes }: { readonly routes: readonly CountedRoute[] }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  const time = (milliseconds: number | null) => (milliseconds === null ? t('noValue') : format.duration(milliseconds))
  const numbers = { align: 'right' as const }
  return (
    <Table
      size="small"
      rowKey={({ method, route }) => `${method} ${route}`}
      dataSource={[...routes]}
      pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
      scroll={{ x: 'max-content' }}
      columns={[
        {
          title: t('requests.route'),
          key: 'route',
          render: (_, { method, route }) => <RouteName method={method} route={route} />,
        },
        {
          title: t('requests.count'),
          dataIndex: 'requests',
          ...numbers,
          sorter: (a, b) => a.requests - b.requests,
          render: format.number,
        },
        {
          title: t('requests.failed'),
          dataIndex: 'failed',
          ...numbers,
          sorter: (a, b) => a.failed - b.failed,
          render: format.number,
        },
        { title: t('history.p50'), dataIndex: 'p50', ...numbers, render: time },
        {
          title: t('history.p99'),
          dataIndex: 'p99',
          ...numbers,
          sorter: (a, b) => (a.p99 ?? 0) - (b.p99 ?? 0),
          render: time,
        },
        {
          title: t('requests.together'),
          dataIndex: 'seconds',
          ...numbers,
          defaultSortOrder: 'descend',
          sorter: (a, b) => a.seconds - b.seconds,
          render: (seconds: number) => format.duration(seconds * 1000),
        },
      ]}
    />
  )
}

function Slow({ requests }: { readonly requests: readonly SlowRequest[] }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  return (
    <Table
      size="small"
      rowKey={({ at, route, milliseconds }) => `${at} ${route} ${milliseconds}`}
      dataSource={[...requests]}
      pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
      scroll={{ x: 'max-content' }}
      locale={{ emptyText: <Typography.Text type="secondary">{t('requests.noneSlow')}</Typography.Text> }}
      columns={[
        { title: t('requests.at'), dataIndex: 'at', render: (at: string) => format.time(at) },
        {
          title: t('requests.route'),
          key: 'route',
          render: (_, { method, route }) => <RouteName method={method} route={route} />,
        },
        { title: t('requests.status'), dataIndex: 'status' },
        {
          title: t('requests.took'),
          dataIndex: 'milliseconds',
          align: 'right',
          render: (milliseconds: number) => format.duration(milliseconds),
        },
      ]}
    />
  )
}

function RouteName({ method, route }: { readonly method: string; readonly route: string }) {
  return (
    <Flex gap={8} align="center">
      <Tag>{method}</Tag>
      <Typography.Text code>{route}</Typography.Text>
    </Flex>
  )
}
