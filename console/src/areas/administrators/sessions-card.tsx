import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'

type Session = Answers['GET /admin/me/sessions']['sessions'][number]

const KEY = ['me', 'sessions'] as const

/**
 * The sessions of the current administrator.
 * @param current id of the session in use
 */
export function SessionsCard({ current }: { readonly current: string }) {
  const { t } = useTranslation('administrators')
  const format = useFormat()
  const cache = useQueryClient()
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await request('GET', '/admin/me/sessions', { signal })).sessions,
  })
  const ending = useMutation({
    mutationFn: (id: string) => request('DELETE', '/admin/me/sessions/{sessionId}', { params: { sessionId: id } }),
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
