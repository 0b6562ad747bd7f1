import { useQuery } from '@tanstack/react-query'
import { Flex, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type Schedule, schedulesQuery } from './cloud-code-queries.ts'

/** Scheduled functions, and the results of their runs. */
export function SchedulesTab() {
  const { t } = useTranslation('cloudCode')
  const format = useFormat()
  const { appId } = useApp()
  const schedules = useQuery(schedulesQuery(appId))
  const time = (at: string | null) => (at === null ? t('noValue') : format.time(at))
  return (
    <Flex vertical gap={16}>
      <ProblemNotice error={schedules.error} onRetry={() => void schedules.refetch()} />
      {schedules.data?.length === 0 ? (
        <EmptyState title={t('schedules.none')}>{t('schedules.noneAbout')}</EmptyState>
      ) : (
        <Table
          size="small"
          rowKey="name"
          loading={schedules.isPending}
          dataSource={schedules.data ?? []}
          pagination={{ pageSize: 50, hideOnSinglePage: true }}
          scroll={{ x: 'max-content' }}
          columns={[
            { title: t('schedules.name'), dataIndex: 'name' },
            { title: t('schedules.function'), dataIndex: 'function', render: (name: string) => <code>{name}</code> },
            { title: t('schedules.next'), dataIndex: 'nextRunAt', render: time },
            { title: t('schedules.last'), dataIndex: 'lastRunAt', render: time },
            { title: t('schedules.outcome'), key: 'outcome', render: (_, schedule) => <LastOutcome {...schedule} /> },
          ]}
        />
      )}
    </Flex>
  )
}

function LastOutcome({ lastRunAt, lastOutcome, disabledAt }: Schedule) {
  const { t } = useTranslation('cloudCode')
  if (disabledAt !== null) return <Tag color="error">{t('schedules.disabled')}</Tag>
  if (lastRunAt === null) return t('noValue')
  if (lastOutcome === null) return <Tag color="processing">{t('schedules.running')}</Tag>
  const { status, error } = lastOutcome
  return (
    <Flex gap={8}>
      <Tag color={status === 200 ? 'success' : 'error'}>{status}</Tag>
      {error}
    </Flex>
  )
}
