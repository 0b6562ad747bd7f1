import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Confirmation } from '../../parts/confirmation.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { ComposeLink } from './compose-link.tsx'
import { PushLinks } from './push-links.tsx'
import { type Scheduled, scheduledQuery, textOf } from './pushes.ts'

/** Scheduled pushes. */
export function ScheduledPage() {
  const { t } = useTranslation('push')
  const app = useApp()
  const { time, ago } = useFormat()
  const queries = useQueryClient()
  const list = useQuery(scheduledQuery(app))
  const cancel = useMutation({
    mutationFn: (id: number) => app.call('DELETE', `/1.1/scheduledPushMessages/${id}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['apps', app.appId, 'pushes'] }),
  })
  return (
    <Page title={t('scheduled.title')} about={t('scheduled.about')} actions={<ComposeLink />}>
      <PushLinks />
      <ProblemNotice error={list.error ?? cancel.error} onRetry={() => void list.refetch()} />
      <Table<Scheduled>
        rowKey="id"
        size="middle"
        loading={list.isPending}
        dataSource={list.data ?? []}
        pagination={{ pageSize: 50, hideOnSinglePage: true, showSizeChanger: false }}
        scroll={{ x: 680 }}
        locale={{
          emptyText: list.isPending ? (
            ' '
          ) : (
            <EmptyState title={t('scheduled.none')}>{t('scheduled.noneAbout')}</EmptyState>
          ),
        }}
        columns={[
          { title: t('history.push'), render: (_, { push_msg: { msg } }) => textOf(msg) },
          {
            title: t('result.target'),
            render: (_, { push_msg: { where } }) => (
              <Typography.Text code style={{ overflowWrap: 'anywhere' }}>
                {JSON.stringify(where.query)}
              </Typography.Text>
            ),
          },
          {
            title: t('scheduled.at'),
            render: (_, { expire_time }) => (
              <span title={time(expire_time)}>{`${time(expire_time)} · ${ago(expire_time)}`}</span>
            ),
          },
          {
            title: t('actions'),
            key: 'actions',
            hidden: !app.canChange,
            render: (_, { id, push_msg: { msg } }) => (
              <Confirmation
                title={t('scheduled.ask')}
                okText={t('scheduled.yes')}
                cancelText={t('scheduled.no')}
                onConfirm={() => cancel.mutateAsync(id).catch(() => {})}
              >
                <Button size="small" aria-label={`${t('scheduled.cancel')}: ${textOf(msg)}`}>
                  {t('scheduled.cancel')}
                </Button>
              </Confirmation>
            ),
          },
        ]}
      />
    </Page>
  )
}
