import { useQuery } from '@tanstack/react-query'
import { Flex, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { type Task, tasksQuery } from './cloud-code-queries.ts'

/** Queued functions, and their results. */
export function TasksTab() {
  const { t } = useTranslation('cloudCode')
  const format = useFormat()
  const { appId } = useApp()
  const tasks = useQuery(tasksQuery(appId))
  const time = (at: string | null) => (at === null ? t('noValue') : format.time(at))
  return (
    <Flex vertical gap={16}>
      <ProblemNotice error={tasks.error} onRetry={() => void tasks.refetch()} />
      {tasks.data?.length === 0 ? (
        <EmptyState title={t('tasks.none')}>{t('tasks.noneAbout')}</EmptyState>
      ) : (
        <Table
          size="small"
          rowKey="id"
          loading={tasks.isPending}
          dataSource={tasks.data ?? []}
          pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
          scroll={{ x: 'max-content' }}
          columns={[
            { title: t('tasks.function'), dataIndex: 'function', render: (name: string) => <code>{name}</code> },
            { title: t('tasks.status'), key: 'status', render: (_, task) => <Status {...task} /> },
            { title: t('tasks.failures'), dataIndex: 'failures', align: 'right', render: format.number },
            { title: t('tasks.runAt'), dataIndex: 'runAt', render: time },
            { title: t('tasks.finishedAt'), dataIndex: 'finishedAt', render: time },
            { title: t('tasks.error'), dataIndex: 'error', render: (error: string | null) => error ?? t('noValue') },
          ]}
        />
      )}
    </Flex>
  )
}

function Status({ status, runAt }: Task) {
  const { t } = useTranslation('cloudCode')
  if (status === 'success') return <Tag color="success">{t('tasks.states.success')}</Tag>
  if (status === 'failed' && runAt === null) return <Tag color="error">{t('tasks.states.failed')}</Tag>
  if (status === 'failed') return <Tag color="warning">{t('tasks.states.retrying')}</Tag>
  return <Tag>{t('tasks.states.queued')}</Tag>
}
