import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { App, Button, Flex, Segmented, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Confirmation } from '../../parts/confirmation.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { discardJob, type Job, type JobList, jobsQuery, retryJob } from './health-queries.ts'
import { JOB_STATES, type JobState } from './health-search.ts'

/** Background jobs and failed ones. */
export function JobsTab() {
  const { t } = useTranslation('health')
  const format = useFormat()
  const navigate = useNavigate()
  const { state = 'failed' } = useSearch({ from: '/signed-in/health' })
  const jobs = useQuery(jobsQuery(state))
  const sums = sumsOf(jobs.data)
  const listed = jobs.data?.jobs ?? []
  return (
    <Flex vertical gap={16}>
      <Typography.Text type="secondary">{t('jobs.about')}</Typography.Text>
      <Segmented<JobState>
        aria-label={t('jobs.state')}
        style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
        value={state}
        options={JOB_STATES.map((value) => ({
          value,
          label: t('jobs.stateAndCount', { state: t(`jobs.states.${value}`), count: format.number(sums[value]) }),
        }))}
        onChange={(chosen) => void navigate({ to: '/health', search: { tab: 'jobs', state: chosen } })}
      />
      <ProblemNotice error={jobs.error} onRetry={() => void jobs.refetch()} />
      {jobs.data && listed.length === 0 ? (
        <EmptyState title={t(`jobs.none.${state}`)}>
          {state === 'failed' ? t('jobs.noneFailedAbout') : undefined}
        </EmptyState>
      ) : (
        <JobTable jobs={listed} isLoading={jobs.isPending} />
      )}
    </Flex>
  )
}

function JobTable({ jobs, isLoading }: { readonly jobs: readonly Job[]; readonly isLoading: boolean }) {
  const { t } = useTranslation('health')
  const format = useFormat()
  return (
    <Table
      size="small"
      rowKey="id"
      loading={isLoading}
      dataSource={[...jobs]}
      pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
      scroll={{ x: 'max-content' }}
      columns={[
        { title: t('jobs.kind'), dataIndex: 'kind', render: (kind: string) => <code>{kind}</code> },
        { title: t('jobs.app'), dataIndex: 'appId', render: (appId: string | null) => appId ?? t('noValue') },
        { title: t('jobs.attempts'), dataIndex: 'attempts', align: 'right', render: format.number },
        { title: t('jobs.at'), dataIndex: 'at', render: (at: string) => format.time(at) },
        {
          title: t('jobs.error'),
          dataIndex: 'error',
          render: (error: string | null) => (
            <Typography.Text
              translate="no"
              style={{ display: 'block', maxWidth: 420 }}
              ellipsis={{ tooltip: error ?? '' }}
            >
              {error ?? t('noValue')}
            </Typography.Text>
          ),
        },
        {
          title: t('jobs.deeds'),
          key: 'actions',
          render: (_, job) => (job.state === 'failed' || job.state === 'retrying' ? <JobActions job={job} /> : null),
        },
      ]}
    />
  )
}

function JobActions({ job }: { readonly job: Job }) {
  const { t } = useTranslation('health')
  const { message } = App.useApp()
  const client = useQueryClient()
  const afterwards = {
    onError: (error: Error) => void message.error(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['health'] }),
  }
  const retry = useMutation({
    mutationFn: () => retryJob(job.id),
    ...afterwards,
    onSuccess: () => void message.success(t('jobs.retried')),
  })
  const discard = useMutation({
    mutationFn: () => discardJob(job.id),
    ...afterwards,
    onSuccess: () => void message.success(t('jobs.discarded')),
  })
  return (
    <Flex gap={8}>
      <Button size="small" loading={retry.isPending} onClick={() => retry.mutate()}>
        {t('jobs.retry')}
      </Button>
      <Confirmation
        title={t('jobs.discardTitle')}
        description={t('jobs.discardAbout')}
        okText={t('jobs.discard')}
        okButtonProps={{ danger: true }}
        onConfirm={() => discard.mutate()}
      >
        <Button size="small" danger loading={discard.isPending}>
          {t('jobs.discard')}
        </Button>
      </Confirmation>
    </Flex>
  )
}

function sumsOf(list: JobList | undefined): Record<JobState, number> {
  const sums = { failed: 0, retrying: 0, running: 0, waiting: 0 }
  for (const { state, count } of list?.counts ?? []) sums[state] += count
  return sums
}
