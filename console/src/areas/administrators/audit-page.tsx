import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button, Flex, Select, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Answers } from '../../api/answers.ts'
import { useApps } from '../../api/apps.ts'
import { request } from '../../api/request.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { Wide } from '../../parts/wide.tsx'

type Change = Answers['GET /admin/audit']['changes'][number]

const PAGE = 100

/** The audit log: changes with their actor and result. */
export function AuditPage() {
  const { t } = useTranslation('administrators')
  const format = useFormat()
  const apps = useApps()
  const navigate = useNavigate()
  const { app } = useSearch({ from: '/signed-in/audit' })
  const changes = useInfiniteQuery({
    queryKey: ['audit', app ?? null],
    queryFn: async ({ pageParam, signal }) =>
      (
        await request('GET', '/admin/audit', {
          query: { app, before: pageParam ?? undefined, limit: PAGE },
          signal,
        })
      ).changes,
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page.at(-1)!.id),
  })
  const lines = changes.data?.pages.flat() ?? []
  const nameOfApp = (appId: string | null) => apps.find((known) => known.appId === appId)?.name ?? appId
  return (
    <Page
      title={t('auditTitle')}
      about={t('auditAbout')}
      actions={
        <Select
          aria-label={t('apps')}
          allowClear
          placeholder={t('allApps')}
          style={{ minWidth: 200 }}
          value={app ?? null}
          options={apps.map(({ appId, name }) => ({ value: appId, label: name }))}
          onChange={(chosen: string | undefined) => navigate({ to: '/audit', search: chosen ? { app: chosen } : {} })}
        />
      }
    >
      <ProblemNotice error={changes.error} onRetry={() => void changes.refetch()} />
      <Wide label={t('auditTitle')}>
        <Table<Change>
          rowKey="id"
          size="small"
          loading={changes.isPending}
          dataSource={lines}
          pagination={false}
          locale={{ emptyText: <EmptyState title={t('auditNone')}>{t('auditNoneAbout')}</EmptyState> }}
          columns={[
            { title: t('time'), dataIndex: 'at', render: (at: string) => format.time(at) },
            {
              title: t('who'),
              key: 'who',
              render: (_, { name, address }) => (
                <>
                  {name === null ? <Tag>{t('token')}</Tag> : <span translate="no">{name}</span>}{' '}
                  <Typography.Text type="secondary">{address}</Typography.Text>
                </>
              ),
            },
            { title: t('app'), dataIndex: 'appId', render: (appId) => <span translate="no">{nameOfApp(appId)}</span> },
            {
              title: t('change'),
              key: 'change',
              render: (_, { method, path, members }) => (
                <>
                  <Tag>{method}</Tag>
                  <Typography.Text code>{path}</Typography.Text>
                  <Typography.Text type="secondary" translate="no">
                    {members.join(', ')}
                  </Typography.Text>
                </>
              ),
            },
            {
              title: t('outcome'),
              dataIndex: 'status',
              render: (status: number | null) => <Outcome status={status} />,
            },
          ]}
        />
      </Wide>
      {changes.hasNextPage && (
        <Flex justify="center">
          <Button loading={changes.isFetchingNextPage} onClick={() => void changes.fetchNextPage()}>
            {t('older')}
          </Button>
        </Flex>
      )}
    </Page>
  )
}

function Outcome({ status }: { readonly status: number | null }) {
  const { t } = useTranslation('administrators')
  if (status === null) return <Tag>{t('unknownOutcome')}</Tag>
  return status < 400 ? <Tag color="success">{t('done')}</Tag> : <Tag color="error">{t('refused', { status })}</Tag>
}
