import { useQuery } from '@tanstack/react-query'
import { Flex, Statistic } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { useFormat } from '../../../i18n/format.ts'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Table } from '../../../parts/table.tsx'
import { ClientName } from '../client-name.tsx'
import type { Conversation } from '../conversations.ts'
import { participantsQuery } from './members.ts'

/** The number of clients in a chat room, and some of them: its members are the clients connected to it. */
export function ParticipantsPanel({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const { number } = useFormat()
  const { data, error, isPending, refetch } = useQuery(participantsQuery(useApp(), conversation))
  return (
    <Flex vertical gap={12}>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      <Statistic
        title={t('participants.count')}
        value={data?.count ?? 0}
        formatter={(count) => number(Number(count))}
      />
      <Table<{ readonly clientId: string }>
        rowKey="clientId"
        size="middle"
        loading={isPending}
        pagination={false}
        dataSource={(data?.some ?? []).map((clientId) => ({ clientId }))}
        locale={{
          emptyText: isPending ? (
            ' '
          ) : (
            <EmptyState title={t('participants.none')}>{t('participants.noneAbout')}</EmptyState>
          ),
        }}
        columns={[
          { title: t('participants.some'), render: (_, { clientId }) => <ClientName clientId={clientId} isOnline /> },
        ]}
      />
    </Flex>
  )
}
