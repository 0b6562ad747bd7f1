import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { updateObject } from '../../objects/writing/update.ts'
import { builtInColumn, conversationRules, storeOf } from './conversation-class.ts'

const { messaging, conversation } = await makeMessaging()

it('finds built-in columns, also in dotted keys', () => {
  for (const column of ['m', 'mu', 'c', 'lm', 'tr', 'sys', 'unique', 'uniqueId', 'ACL']) {
    expect(builtInColumn({ name: 'x', [column]: 1 })).toBe(column)
    expect(builtInColumn({ [`${column}.part`]: 1 })).toBe(column)
  }
  expect(builtInColumn({ name: 'x', attr: {}, 'attr.m': 1, mood: 1, objectId: 'x' })).toBeUndefined()
})

it('invalidates the cache of every node after a write over the object store, but not of messaging itself', async () => {
  const id = await conversation(['a'])
  const rules = new Map([['_Conversation', conversationRules(messaging.conversations, messaging.settings)]])
  const withRule = { ...messaging, objects: { ...messaging.objects, rules } }
  const rename = (store: typeof messaging.objects) =>
    updateObject(store, '_Conversation', id, { name: 'new' }, { where: null, fetch: false }, MASTER)

  await messaging.conversations.find(id)
  await rename(storeOf(withRule))
  expect(messaging.conversations.known(id)).toBeDefined()
  await rename(withRule.objects)
  expect(messaging.conversations.known(id)).toBeUndefined()
})
