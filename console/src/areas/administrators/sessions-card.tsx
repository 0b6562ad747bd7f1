import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { path, request } from '../../api/request.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'

interface Session {
  readonly id: string
  readonly address: string
  readonly userAgent: string
  readonly createdAt: string
  readonly usedAt: string
}

const KEY = ['me', 'sessions'] as const

/** Where one is logged in. @param current id of the session in use */
export function SessionsCard({ current }: { readonly current: string }) {
  const { t } = useTranslation('administrators')
  const format = useFormat()
  const cache = useQueryClient()
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) =>
      (await request<{ sessions: Session[] }>('GET', '/admin/me/sessions', { signal })).sessions,
  })
  const ending = useMutation({
    mutationFn: (id: string) => request('DELETE', path`/admin/me/sessions/${id}`),
    onSettled: () => cache.invalidateQueries({ queryKey: KEY }),
  })
  return (
    <Card variant="borderless" title={t('sessions')}>
      <ProblemNotice error={sessions.error ?? ending.error} />
      <Table<Session>
        rowKey="id"
        size="small"
        loading={sessions.isPending}
        dataSource={sessions.data ?? []}
        pagination={false}
        scroll={{ x: 'max-content' }}
        columns={[
          {
            title: t('browser'),
            key: 'browser',
            render: (_, { userAgent, address }) => (
              <Flex vertical>
                <Typography.Text ellipsis={{ tooltip: userAgent }} style={{ maxWidth: 300 }}>
                  {userAgent || t('unknownBrowser')}
                </Typography.Text>
                <Typography.Text type="secondary">{address}</Typography.Text>
              </Flex>
            ),
          },
          { title: t('lastUse'), dataIndex: 'usedAt', render: (time: string) => format.ago(time) },
          {
            title: t('actions'),
            key: 'actions',
            render: (_, { id }) =>
              id === current ? (
                <Tag color="success">{t('thisSession')}</Tag>
              ) : (
                <Button size="small" onClick={() => ending.mutate(id)}>
                  {t('endSession')}
                </Button>
              ),
          },
        ]}
      />
    </Card>
  )
}
