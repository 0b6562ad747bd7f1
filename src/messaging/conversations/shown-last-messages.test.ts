import { afterEach, describe, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { addMembers } from '../members/add-members.ts'
import { removeMembers } from '../members/remove-members.ts'
import { editMessage } from '../messages/patches.ts'
import type { MessagingSettings } from '../messaging-settings.ts'
import { blockClients, unblockClients } from '../moderation/blacklists.ts'
import { blockConversation } from '../moderation/client-blacklists.ts'
import { createConversation } from './create-conversation.ts'
import { findConversations, findTemporaryConversations } from './find-conversations.ts'
import { createTemporary } from './temporary-conversations.ts'

const { messaging, connect, conversation, configure, hooks, send } = await makeMessaging()
const BARE = { members: [], attributes: {}, unique: false } as const
const DEFAULTS: Partial<MessagingSettings> = { openMembership: true, conversationSignature: false, blacklist: true }

afterEach(() => {
  configure(DEFAULTS)
  hooks.clear()
})

const [normal, silent, keepsOut, keptAway, left, inNobodys] = [
  await conversation(['owner', 'member']),
  await conversation(['owner', 'member']),
  await conversation(['owner', 'member']),
  await conversation(['owner', 'member']),
  await conversation(['owner', 'member', 'stranger']),
  await conversation([]),
]
const room = (await createConversation(messaging, connect('owner'), { ...BARE, kind: 'room' })).id
const system = (await createConversation(messaging, null, { ...BARE, kind: 'system' })).id
const { conversation: temporary } = await createTemporary(messaging, connect('owner'), {
  members: ['member'],
  ttl: 600,
  unique: false,
})
await blockClients(messaging, { clientId: 'owner' }, keepsOut, ['stranger'])
await blockConversation(messaging, 'stranger', 'stranger', keptAway)
await removeMembers(messaging, connect('stranger'), left, ['stranger'])
for (const id of [normal, keepsOut, keptAway, left, temporary.id]) await send('owner', id, `said in ${id}`)
await send(connect('owner'), room, `said in ${room}`)
await messaging.messages.store({
  id: 'broadcast',
  convId: system,
  threads: [system],
  sender: 'app',
  content: `said in ${system}`,
  bin: false,
  token: null,
  mentionAll: false,
  mentions: [],
  receipt: false,
  ip: null,
})

/**
 * Returns the last message that a client receives: undefined without the conversation, null for a conversation without a message.
 */
async function shown(clientId: string, convId: string): Promise<unknown> {
  const [record] = convId.startsWith('_tmp:')
    ? await findTemporaryConversations(messaging, { clientId }, [convId], { lastMessage: true })
    : await findConversations(messaging, { clientId }, { where: { objectId: convId }, lastMessage: true })
  return record && (record.msg ?? null)
}

const settings = {
  open: {},
  'open, without blacklists': { blacklist: false },
  private: { openMembership: false },
  'open, with signatures': { conversationSignature: true },
  'private, with signatures': { openMembership: false, conversationSignature: true },
} satisfies Record<string, Partial<MessagingSettings>>

const WITH = 'with the last message'
const WITHOUT = 'without a last message'
const NOT = 'not at all'

describe.each<[name: string, convId: string, clientId: string, expected: Record<keyof typeof settings, string>]>(
  (
    [
      ['its own conversation', normal, 'member', [WITH, WITH, WITH, WITH, WITH]],
      ['a conversation of others', normal, 'stranger', [WITH, WITH, NOT, WITHOUT, NOT]],
      ['a conversation that it has left', left, 'stranger', [WITH, WITH, NOT, WITHOUT, NOT]],
      ['a conversation that keeps it out', keepsOut, 'stranger', [WITHOUT, WITHOUT, NOT, WITHOUT, NOT]],
      ['a conversation that it keeps away', keptAway, 'stranger', [WITHOUT, WITHOUT, NOT, WITHOUT, NOT]],
      ['a conversation in which nothing was said', silent, 'stranger', [WITHOUT, WITHOUT, NOT, WITHOUT, NOT]],
      ['a conversation without members', inNobodys, 'stranger', [WITHOUT, WITHOUT, NOT, WITHOUT, NOT]],
      ['a chat room', room, 'stranger', [WITH, WITH, WITH, WITH, WITH]],
      ['a system conversation', system, 'stranger', [WITH, WITH, WITH, WITH, WITH]],
      ['its own temporary conversation', temporary.id, 'member', [WITH, WITH, WITH, WITH, WITH]],
      ['a temporary conversation of others', temporary.id, 'stranger', [WITHOUT, WITHOUT, NOT, WITHOUT, NOT]],
    ] as const
  ).map(([name, convId, clientId, outcomes]) => {
    const names = Object.keys(settings) as (keyof typeof settings)[]
    const expected = Object.fromEntries(names.map((one, n) => [one, outcomes[n]!]))
    return [name, convId, clientId, expected as Record<keyof typeof settings, string>]
  }),
)('last messages: %s', (_, convId, clientId, expected) => {
  it.each(Object.keys(settings) as (keyof typeof settings)[])('where conversations are %s', async (name) => {
    configure({ ...DEFAULTS, ...settings[name] })
    const found = await shown(clientId, convId)
    const outcome = found === undefined ? NOT : found === null ? WITHOUT : WITH
    expect(outcome).toBe(expected[name])
    if (outcome === WITH) expect(found).toBe(`said in ${convId}`)
  })
})

it('applies the rule of each conversation in one query', async () => {
  const query = { where: { objectId: { $in: [normal, keepsOut, keptAway, room, system, silent] } }, lastMessage: true }
  const found = await findConversations(messaging, { clientId: 'stranger' }, query)
  const messages = Object.fromEntries(found.map(({ objectId, msg }) => [objectId, msg]))
  const said = (id: string) => `said in ${id}`
  expect(messages).toEqual({
    [normal]: said(normal),
    [keepsOut]: undefined,
    [keptAway]: undefined,
    [room]: said(room),
    [system]: said(system),
    [silent]: undefined,
  })
})

it('returns it again to a client that is no longer blocked', async () => {
  await unblockClients(messaging, { clientId: 'owner' }, keepsOut, ['stranger'])
  expect(await shown('stranger', keepsOut)).toBe(`said in ${keepsOut}`)
  await blockClients(messaging, { clientId: 'owner' }, keepsOut, ['stranger'])
  expect(await shown('stranger', keepsOut)).toBeNull()
})

it('omits it while cloud code decides who joins, until the client has joined', async () => {
  const id = await conversation(['owner'])
  await send('owner', id, 'hello')
  hooks.set('_conversationAdd', () => ({}))
  expect([await shown('joiner', id), await shown('owner', id)]).toEqual([null, 'hello'])
  await addMembers(messaging, connect('joiner'), id, ['joiner'])
  expect(await shown('joiner', id)).toBe('hello')
})

it.each(['member', 'stranger'])('returns only the notice of a recalled message to a %s', async (clientId) => {
  const id = await conversation(['owner', 'member'])
  await send('owner', id, 'before')
  const { id: mid, ts } = await send('owner', id, 'regretted')
  const ref = { convId: id, id: mid, ts, receivers: null }
  await editMessage(messaging, { clientId: 'owner', session: null, ip: null }, ref, null)
  const query = { where: { objectId: id }, lastMessage: true }
  const [record] = await findConversations(messaging, { clientId }, query)
  expect(record).toMatchObject({ msg_mid: mid, patch_timestamp: expect.any(Number) })
  expect(JSON.parse(String(record!.msg))).toEqual({ _lctype: -127 })
})
