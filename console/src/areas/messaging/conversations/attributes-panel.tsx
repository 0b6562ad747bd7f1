import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { App as AntApp, Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../../api/use-app.ts'
import { Card } from '../../../parts/card.tsx'
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx'
import { parseObject, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { Conversation } from '../conversations.ts'
import { pathOf } from '../members/members.ts'
import { useConversationChange } from '../use-conversation-change.ts'

/** Fields maintained by the server or edited on other pages: not editable as attributes. */
const KEPT = new Set([
  'objectId',
  'createdAt',
  'updatedAt',
  'm',
  'mu',
  'c',
  'lm',
  'tr',
  'sys',
  'unique',
  'uniqueId',
  'ACL',
])

/** The stored record of a conversation; its name and attributes can be changed, and it can be deleted. */
export function AttributesPanel({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const { message } = AntApp.useApp()
  const canChange = app.canChange && conversation.kind !== 'temporary'
  const before = attributesOf(conversation)
  const [text, setText] = useState(() => JSON.stringify(before, null, 2))
  const save = useConversationChange(async () => {
    await app.call('PUT', pathOf(conversation), { body: changesIn(before, JSON.parse(text)) })
    void message.success(t('attributes.saved'))
  })
  return (
    <Flex vertical gap={16}>
      {canChange && (
        <Card title={t('attributes.title')}>
          <Flex vertical gap={12}>
            <Typography.Text type="secondary">{t('attributes.about')}</Typography.Text>
            <ProblemNotice error={save.error} />
            <JsonEditor label={t('attributes.title')} value={text} onChange={setText} />
            <Flex>
              <Button type="primary" disabled={!isObject(text)} loading={save.isPending} onClick={() => save.mutate()}>
                {t('attributes.save')}
              </Button>
            </Flex>
          </Flex>
        </Card>
      )}
      <Card title={t('attributes.stored')}>
        <JsonEditor readOnly label={t('attributes.stored')} value={JSON.stringify(conversation.record, null, 2)} />
      </Card>
      {canChange && <Deletion conversation={conversation} />}
    </Flex>
  )
}

function Deletion({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation('messaging')
  const app = useApp()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const remove = useConversationChange(async () => {
    await app.call('DELETE', pathOf(conversation))
    await navigate({ to: '/apps/$appId/messaging', params: { appId: app.appId } })
    queries.removeQueries({ queryKey: ['apps', app.appId, 'conversations', 'one', conversation.id] })
  })
  return (
    <Flex>
      <Button danger onClick={() => setIsOpen(true)}>
        {t('deletion.open')}
      </Button>
      <ConfirmByName
        open={isOpen}
        title={t('deletion.open')}
        name={conversation.name || conversation.id}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onCancel={() => setIsOpen(false)}
      >
        {t('deletion.about')}
      </ConfirmByName>
    </Flex>
  )
}

type Attributes = Readonly<Record<string, unknown>>

function attributesOf({ record }: Conversation): Attributes {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !KEPT.has(name)))
}

/** Returns the changed attributes; removed ones are deleted. */
function changesIn(before: Attributes, after: Attributes): Attributes {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return { ...after, ...Object.fromEntries(removed.map((name) => [name, { __op: 'Delete' }])) }
}

function isObject(text: string): boolean {
  return !(parseObject(text) instanceof Unparsed)
}
