import { useQuery } from '@tanstack/react-query'
import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { liveQueriesQuery } from './cloud-code-queries.ts'

/** The number of live queries, by class. */
export function LiveQueriesTab() {
  const { t } = useTranslation('cloudCode')
  const format = useFormat()
  const { appId } = useApp()
  const counts = useQuery(liveQueriesQuery(appId))
  return (
    <Flex vertical gap={16}>
      <Typography.Text type="secondary">{t('liveQueries.about')}</Typography.Text>
      <ProblemNotice error={counts.error} onRetry={() => void counts.refetch()} />
      {counts.data?.length === 0 ? (
        <EmptyState title={t('liveQueries.none')}>{t('liveQueries.noneAbout')}</EmptyState>
      ) : (
        <Table
          size="small"
          rowKey="className"
          loading={counts.isPending}
          dataSource={counts.data ?? []}
          pagination={{ pageSize: 50, hideOnSinglePage: true }}
          scroll={{ x: 'max-content' }}
          columns={[
            { title: t('liveQueries.class'), dataIndex: 'className' },
            { title: t('liveQueries.queries'), dataIndex: 'queries', align: 'right', render: format.number },
            { title: t('liveQueries.subscribers'), dataIndex: 'subscribers', align: 'right', render: format.number },
          ]}
        />
      )}
    </Flex>
  )
}
