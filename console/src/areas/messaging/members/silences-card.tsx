import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Flex, Select, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { Card } from '../../../parts/card.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Table } from '../../../parts/table.tsx'
import { ClientName } from '../client-name.tsx'
import type { Conversation } from '../conversations.ts'
import { useConversationChange } from '../use-conversation-change.ts'
import { AddClient } from './add-client.tsx'
import { pathOf, type Silence, silencesQuery } from './members.ts'

/** Seconds; 0 means permanently. */
const SPANS = [600, 3600, 86_400, 0] as const

/** The silenced clients, with the end of each silence. */
export function SilencesCard({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { time, duration } = useFormat()
  const [span, setSpan] = useState<number>(SPANS[0])
  const list = useInfiniteQuery(silencesQuery(app, conversation))
  const path = pathOf(conversation)
  const silence = useConversationChange((clientId: string) =>
    span === 0
      ? app.call('POST', `${path}/permanent-silenceds`, { body: { client_ids: [clientId] } })
      : app.call('POST', `${path}/temporary-silenceds`, { body: { client_id: clientId, ttl: span } }),
  )
  // Lifting a permanent silence also lifts a temporary one.
  const lift = useConversationChange((clientId: string) =>
    app.call('DELETE', `${path}/permanent-silenceds`, { query: { client_ids: [clientId] } }),
  )
  return (
    <Card title={t('silences.title')} style={{ flex: '1 1 420px', minWidth: 0 }}>
      <Flex vertical gap={12}>
        <Typography.Text type="secondary">{t('silences.about')}</Typography.Text>
        <ProblemNotice error={list.error} onRetry={() => void list.refetch()} />
        {app.canChange && (
          <Flex wrap gap={8}>
            <Select
              aria-label={t('silences.span')}
              style={{ width: 160 }}
              value={span}
              options={SPANS.map((value) => ({
                value,
                label: value === 0 ? t('silences.forGood') : duration(value * 1000),
              }))}
              onChange={setSpan}
            />
            <AddClient
              label={t('silences.client')}
              action={t('silences.silence')}
              isPending={silence.isPending}
              onAdd={(clientId) => silence.mutateAsync(clientId)}
            />
          </Flex>
        )}
        <Table<Silence>
          rowKey="clientId"
          size="small"
          scroll={{ x: 380 }}
          loading={list.isPending}
          pagination={false}
          dataSource={list.data?.pages.flat() ?? []}
          locale={{
            emptyText: <Typography.Text type="secondary">{list.isPending ? ' ' : t('silences.none')}</Typography.Text>,
          }}
          columns={[
            { title: t('members.client'), render: (_, { clientId }) => <ClientName clientId={clientId} /> },
            {
              title: t('silences.until'),
              render: (_, { until }) => (until === null ? t('silences.forGood') : time(until)),
            },
            {
              title: t('members.actions'),
              key: 'actions',
              hidden: !app.canChange,
              render: (_, { clientId }) => (
                <Button
                  size="small"
                  aria-label={t('silences.liftOne', { client: clientId })}
                  onClick={() => lift.mutate(clientId)}
                >
                  {t('silences.lift')}
                </Button>
              ),
            },
          ]}
        />
        {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>{t('more')}</Button>}
      </Flex>
    </Card>
  )
}
