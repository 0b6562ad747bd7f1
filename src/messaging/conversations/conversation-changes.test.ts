import { beforeEach, describe, expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import type { JsonObject } from '../../values/json.ts'
import { removeMembers } from '../members/remove-members.ts'
import { updateConversation } from './conversation-changes.ts'
import { createConversation } from './create-conversation.ts'
import { findConversations } from './find-conversations.ts'
import { createTemporary } from './temporary-conversations.ts'

const { messaging, connect, hooks, conversation } = await makeMessaging()

beforeEach(() => hooks.clear())

const recordOf = async (id: string) =>
  (await findConversations(messaging, { clientId: 'anyone' }, { where: { objectId: id } }))[0]!

it('replaces columns, and changes parts of them by dotted keys', async () => {
  const id = await conversation(['tom'], { name: 'old', attr: { color: 'red', size: 1 } })
  const tom = connect('tom')
  const { updatedAt, attributes, changed } = await updateConversation(messaging, tom, id, {
    name: 'new',
    'attr.color': 'blue',
  })
  expect(attributes).toEqual({ name: 'new', 'attr.color': 'blue' })
  expect(changed).toEqual({ name: 'new', attr: { color: 'blue', size: 1 } })
  expect(await recordOf(id)).toMatchObject({ name: 'new', attr: { color: 'blue', size: 1 }, updatedAt })
  expect((await updateConversation(messaging, tom, id, { attr: { only: 1 } })).changed).toEqual({ attr: { only: 1 } })
})

it('applies field operations, and omits deleted columns from the current values', async () => {
  const id = await conversation(['tom'], { level: 1, tags: ['a'], topic: 'x' })
  const attributes = {
    level: { __op: 'Increment', amount: 2 },
    tags: { __op: 'AddUnique', objects: ['a', 'b'] },
    topic: { __op: 'Delete' },
  }
  const { changed } = await updateConversation(messaging, connect('tom'), id, attributes)
  expect(changed).toEqual({ level: 3, tags: ['a', 'b'] })
})

it('counts all concurrent increments', async () => {
  const id = await conversation(['tom'])
  const tom = connect('tom')
  const increment = { visits: { __op: 'Increment', amount: 1 } }
  await Promise.all(Array.from({ length: 30 }, () => updateConversation(messaging, tom, id, increment)))
  expect((await recordOf(id)).visits).toBe(30)
})

it('notifies all members, except the session that made the change', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [tom, tomsOther, jerry, spike] = [connect('tom'), connect('tom'), connect('jerry'), connect('spike')]
  const attributes = { name: 'n', 'attr.x': 1 }
  const { updatedAt } = await updateConversation(messaging, tom, id, attributes)
  const event = {
    kind: 'conversation',
    news: 'updated',
    convId: id,
    conversation: 'normal',
    by: 'tom',
    at: Date.parse(updatedAt),
    updatedAt,
    attributes,
    changed: { name: 'n', attr: { x: 1 } },
  }
  for (const session of [tomsOther, jerry]) expect(session.events).toEqual([event])
  expect([...tom.events, ...spike.events]).toEqual([])
})

it('accepts changes of members and of the app only', async () => {
  const id = await conversation(['tom', 'jerry'])
  const [spike, jerry] = [connect('spike'), connect('jerry')]
  await expect(updateConversation(messaging, spike, id, { name: 'x' })).rejects.toMatchObject({
    code: 4309,
    reason: 'CONVERSATION_UPDATE_REJECTED',
  })
  await removeMembers(messaging, jerry, id, ['jerry'])
  await expect(updateConversation(messaging, jerry, id, { name: 'x' })).rejects.toMatchObject({ code: 4309 })
  const tom = connect('tom')
  expect((await updateConversation(messaging, null, id, { name: 'x' })).changed).toEqual({ name: 'x' })
  expect(tom.events).toMatchObject([{ news: 'updated', by: null }])
})

it('rejects changes of built-in columns, also by the app', async () => {
  const id = await conversation(['tom'])
  for (const column of ['m', 'mu', 'c', 'lm', 'tr', 'sys', 'unique', 'uniqueId', 'ACL', 'm.0']) {
    const refusal = { code: 4306, reason: 'CONVERSATION_UPDATE_FAILED' }
    await expect(updateConversation(messaging, null, id, { [column]: 1 })).rejects.toMatchObject(refusal)
    await expect(updateConversation(messaging, connect('tom'), id, { [column]: 1 })).rejects.toMatchObject(refusal)
  }
})

it('rejects an unknown conversation', async () => {
  for (const by of [connect('tom'), null])
    await expect(updateConversation(messaging, by, '555555555555555555555555', { name: 'x' })).rejects.toMatchObject({
      code: 4303,
      reason: 'CONVERSATION_NOT_FOUND',
    })
})

it('rejects changes of a temporary conversation', async () => {
  const tom = connect('tom')
  const { conversation: made } = await createTemporary(messaging, tom, { members: [], ttl: null, unique: false })
  await expect(updateConversation(messaging, tom, made.id, { name: 'x' })).rejects.toMatchObject({ code: 4307 })
})

it('accepts changes of clients in a chat room, and notifies the others in it', async () => {
  const room = { kind: 'room', members: [], attributes: {}, unique: false } as const
  const [tom, jerry, spike] = [connect('tom'), connect('jerry'), connect('spike')]
  const { id } = await createConversation(messaging, tom, room)
  messaging.presence.enterRoom(jerry, id)
  await updateConversation(messaging, tom, id, { name: 'x' })
  expect(jerry.events).toMatchObject([{ news: 'updated', conversation: 'room' }])
  await expect(updateConversation(messaging, spike, id, { name: 'y' })).rejects.toMatchObject({ code: 4309 })
  expect([...tom.events, ...spike.events]).toEqual([])
})

it('rejects changes of system conversations by clients', async () => {
  const system = { kind: 'system', members: [], attributes: {}, unique: false } as const
  const { id } = await createConversation(messaging, null, system)
  await expect(updateConversation(messaging, connect('tom'), id, { name: 'x' })).rejects.toMatchObject({ code: 4309 })
  expect((await updateConversation(messaging, null, id, { name: 'x' })).changed).toEqual({ name: 'x' })
})

it('lets cloud code decide about the changes', async () => {
  const id = await conversation(['tom'])
  const tom = connect('tom')
  hooks.set('_conversationUpdate', (input) => {
    expect(input).toEqual({ initBy: 'tom', convId: id, attr: { name: 'rude' } })
    return { attr: { name: 'polite' } }
  })
  expect(await updateConversation(messaging, tom, id, { name: 'rude' })).toMatchObject({
    attributes: { name: 'polite' },
    changed: { name: 'polite' },
  })
  hooks.set('_conversationUpdate', () => ({ attr: { m: [] } }))
  await expect(updateConversation(messaging, tom, id, { name: 'x' })).rejects.toMatchObject({ code: 4306 })
  hooks.set('_conversationUpdate', () => ({ reject: true, code: 5, detail: 'no' }))
  await expect(updateConversation(messaging, tom, id, { name: 'x' })).rejects.toMatchObject({ code: 4305 })
  expect((await recordOf(id)).name).toBe('polite')
})

describe('the size of a conversation', () => {
  const part = 'x'.repeat(15_000)

  it('is limited for clients, whatever the form of the change, and members are never sent more', async () => {
    const forms: ((n: number) => JsonObject)[] = [
      (n) => ({ [`attr.part${n}`]: part }),
      (n) => ({ list: { __op: 'Add', objects: [`${n}${part}`] } }),
      (n) => ({ [`attr.deep.er${n}`]: { x: part } }),
    ]
    for (const form of forms) {
      const id = await conversation(['tom', 'jerry'])
      const [tom, jerry] = [connect('tom'), connect('jerry')]
      const grow = async () => {
        for (let n = 0; n < 40; n++) await updateConversation(messaging, tom, id, form(n))
      }
      await expect(grow()).rejects.toMatchObject({ code: 4306, message: expect.stringContaining('128 KB') })
      expect(jerry.events.length).toBeGreaterThan(5)
      for (const event of jerry.events) expect(JSON.stringify(event).length).toBeLessThan(50_000)
      // Changes that shrink it are always accepted.
      const column = Object.keys(form(0))[0]!.split('.')[0]!
      await updateConversation(messaging, tom, id, { [column]: { __op: 'Delete' } })
      await updateConversation(messaging, tom, id, { name: 'small again' })
    }
  })

  it('is unlimited for the back end of the app, whose large columns are not sent with each change', async () => {
    const id = await conversation(['tom'])
    const tom = connect('tom')
    const { changed } = await updateConversation(messaging, null, id, { large: 'x'.repeat(1_000_000), name: 'n' })
    expect(Object.keys(changed).sort()).toEqual(['large', 'name'])
    expect(tom.events).toMatchObject([{ changed: { name: 'n' } }])
    expect(JSON.stringify(tom.events[0])).not.toContain('"changed":{"large"')
    await expect(updateConversation(messaging, tom, id, { name: 'x' })).rejects.toMatchObject({ code: 4306 })
    expect((await messaging.conversations.find(id))!.members).toEqual(new Set(['tom']))
  })
})
