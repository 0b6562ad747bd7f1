import { useQuery } from '@tanstack/react-query'
import { Button, Flex, Select, Tag } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Table } from '../../../parts/table.tsx'
import { useUndo } from '../../../parts/use-undo.tsx'
import { ClientName } from '../client-name.tsx'
import { onlineQuery } from '../clients.ts'
import type { Conversation } from '../conversations.ts'
import { useConversationChange } from '../use-conversation-change.ts'
import { AddClient } from './add-client.tsx'
import { pathOf, ROLES, type Role, rolesQuery } from './members.ts'

const PAGE = 50

/** The members of an ordinary or temporary conversation, with their roles and online state. */
export function MembersPanel({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const notifyDone = useUndo()
  const [page, setPage] = useState(1)
  const { members, creator } = conversation
  const isTemporary = conversation.kind === 'temporary'
  const canChange = app.canChange && !isTemporary
  const shown = members.slice((page - 1) * PAGE, page * PAGE)
  const online = useQuery(onlineQuery(app.appId, shown))
  const roles = useQuery({ ...rolesQuery(app, conversation), enabled: !isTemporary })
  const path = pathOf(conversation)
  const add = useConversationChange((clientId: string) =>
    app.call('POST', `${path}/members`, { body: { client_ids: [clientId] } }),
  )
  const remove = useConversationChange(async (clientId: string) => {
    await app.call('DELETE', `${path}/members`, { query: { client_ids: [clientId] } })
    notifyDone(t('members.removed', { client: clientId }), () => add.mutateAsync(clientId))
  })
  const give = useConversationChange(({ clientId, role }: { clientId: string; role: Role }) =>
    app.call('POST', `${path}/member-infos`, { body: { clientId, role } }),
  )
  const roleOf = (clientId: string): Role => roles.data?.get(clientId) ?? (clientId === creator ? 'Owner' : 'Member')
  return (
    <Flex vertical gap={12}>
      <ProblemNotice error={online.error ?? roles.error} />
      {canChange && (
        <AddClient
          label={t('members.clientId')}
          action={t('members.add')}
          isPending={add.isPending}
          onAdd={(clientId) => add.mutateAsync(clientId)}
        />
      )}
      <Table<{ readonly clientId: string }>
        rowKey="clientId"
        size="middle"
        scroll={{ x: 520 }}
        dataSource={members.map((clientId) => ({ clientId }))}
        pagination={{
          current: page,
          pageSize: PAGE,
          onChange: setPage,
          hideOnSinglePage: true,
          showSizeChanger: false,
        }}
        columns={[
          {
            title: t('members.client'),
            render: (_, { clientId }) => <ClientName clientId={clientId} isOnline={online.data?.includes(clientId)} />,
          },
          {
            title: t('members.role'),
            width: 180,
            render: (_, { clientId }) =>
              canChange ? (
                <Select<Role>
                  aria-label={t('members.roleOf', { client: clientId })}
                  style={{ width: 140 }}
                  value={roleOf(clientId)}
                  options={ROLES.map((value) => ({ value, label: t(`roles.${value}`) }))}
                  onChange={(role) => give.mutate({ clientId, role })}
                />
              ) : (
                <Tag>{t(`roles.${roleOf(clientId)}`)}</Tag>
              ),
          },
          {
            title: t('members.actions'),
            key: 'actions',
            hidden: !canChange,
            width: 120,
            render: (_, { clientId }) => (
              <Button
                size="small"
                aria-label={t('members.removeOne', { client: clientId })}
                onClick={() => remove.mutate(clientId)}
              >
                {t('members.remove')}
              </Button>
            ),
          },
        ]}
      />
    </Flex>
  )
}
