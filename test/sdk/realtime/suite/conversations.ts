import { beforeAll, describe, expect, it } from 'vitest'
import { type Conversation, type IMClient, nextEvent } from '../../../support/realtime.ts'
import type { SuiteEnvironment } from './environment.ts'

const NOBODY = '555555555555555555555555'
const NAME = 'js-realtime-sdk-testconv'

type Query = ReturnType<IMClient['getQuery']>

/** Members that the query class has, but not its type declarations. */
interface Combinations {
  and(...queries: Query[]): Query
  or(...queries: Query[]): Query
}

const later = () => new Date(Date.now() + 86_400_000)

/** Declares the tests of conversations with the official client. */
export function conversations({ app, newDevice, logIn }: SuiteEnvironment): void {
  let client: IMClient
  let known: Conversation
  let systemId: string

  beforeAll(async () => {
    client = await logIn('leeyeh')
    known = (await client.createConversation({ members: ['hjiang'], name: NAME, unique: true })) as Conversation
    const device = newDevice()
    const sender = await device.logIn('hjiang')
    await (await sender.getConversation(known.id)).send(new device.sdk.TextMessage('before'))
    const { body } = await app.request('POST', '/1.1/classes/_Conversation', {
      master: true,
      body: { name: 'news', sys: true },
    })
    systemId = body.objectId
  })

  const make = async (options: Parameters<IMClient['createConversation']>[0], by = client) =>
    (await by.createConversation(options)) as Conversation
  const fresh = async (id: string, by = client) => (await by.getConversation(id, true)) as Conversation

  describe('fetching one conversation', () => {
    it('that does not exist returns null', async () => {
      expect(await client.getConversation(NOBODY)).toBeNull()
    })

    it('returns its dates', async () => {
      const conversation = await fresh(known.id)
      expect(conversation).toMatchObject({
        id: known.id,
        name: NAME,
        creator: 'leeyeh',
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        lastMessageAt: expect.any(Date),
      })
      expect([...conversation.members].sort()).toEqual(['hjiang', 'leeyeh'])
    })

    it('returns the last message on request, and keeps it otherwise', async () => {
      const query = () => client.getQuery().equalTo('objectId', known.id)
      const [conversation] = await query().withLastMessagesRefreshed().find()
      expect(conversation!.lastMessage).toMatchObject({ from: 'hjiang', timestamp: expect.any(Date), text: 'before' })
      const { id } = conversation!.lastMessage!
      const [again] = await query().find()
      expect(again!.lastMessage!.id).toBe(id)
    })

    it('in bulk, with duplicates and unknown ids, returns the existing ones', async () => {
      const other = await make({ members: ['bulk'], unique: false })
      const ids = [known.id, other.id, known.id, NOBODY]
      const found = await client.getQuery().containedIn('objectId', ids).limit(999).find()
      expect(found.map(({ id }) => id).sort()).toEqual([known.id, other.id].sort())
    })

    it('marks a system conversation', async () => {
      const conversation = (await client.getConversation(systemId)) as Conversation
      expect(conversation).toMatchObject({ id: systemId, system: true, name: 'news' })
    })
  })

  describe('creating', () => {
    it('keeps columns and attributes', async () => {
      const made = await make({ members: ['jerry'], name: 'named', test: 123, attr: { nested: { deep: [1] } } })
      expect(made.members.toSorted()).toEqual(['jerry', 'leeyeh'])
      const found = await fresh(made.id, await logIn('jerry'))
      expect(found.name).toBe('named')
      expect([found.get('test'), found.get('attr')]).toEqual([123, { nested: { deep: [1] } }])
    })

    it('with the same members returns the same conversation, unless a new one is requested', async () => {
      const first = await make({ members: ['same', 'also'], name: 'first', unique: true })
      const second = await make({ members: ['also', 'same'], name: 'second', unique: true })
      expect(second.id).toBe(first.id)
      expect((await fresh(first.id)).name).toBe('first')
      expect((await make({ members: ['same', 'also'], unique: false })).id).not.toBe(first.id)
    })

    it('a chat room returns an ordinary id', async () => {
      const room = await client.createChatRoom({ name: 'lobby' })
      expect(room.id).toMatch(/^[0-9a-f]{24}$/)
      expect(room.transient).toBe(true)
      expect((await fresh(room.id)).transient).toBe(true)
    })

    it('notifies the creator and the others', async () => {
      const [tom, ann] = [await logIn('tom'), await logIn('ann')]
      const told = [tom, ann].flatMap((member) => [
        nextEvent<[{ invitedBy: string }, { id: string }]>(member, 'invited'),
        nextEvent<[{ members: string[]; invitedBy: string }, { id: string }]>(member, 'membersjoined'),
      ])
      const { id } = await make({ members: ['ann'], unique: false }, tom)
      for (const [payload, conversation] of await Promise.all(told)) {
        expect(payload).toMatchObject({ invitedBy: 'tom' })
        expect(conversation.id).toBe(id)
      }
    })

    it('passes the members in order to the signature, including the creator', async () => {
      const device = newDevice()
      const asked: unknown[][] = []
      const sign = (...args: unknown[]) => {
        asked.push(args)
        return { signature: 'bogus', timestamp: 1, nonce: 'bogus' }
      }
      const signing = await device.logIn('signing', { conversationSignatureFactory: sign })
      const conversation = await make({ members: ['b', 'a', 'b'], unique: false }, signing)
      await conversation.add(['c'])
      await conversation.remove(['c'])
      expect(asked).toEqual([
        [null, 'signing', ['a', 'b', 'signing'], 'create'],
        [conversation.id, 'signing', ['c'], 'invite'],
        [conversation.id, 'signing', ['c'], 'kick'],
      ])
    })
  })

  describe('changing', () => {
    it('attributes notifies other clients', async () => {
      const other = await logIn('hjiang')
      const seen = await fresh(known.id, other)
      const updated = nextEvent<[{ attributes: object; updatedBy: string }]>(seen, 'infoupdated')
      known.set('attr.color', 'red')
      await known.save()
      expect((await updated)[0]).toMatchObject({ attributes: { 'attr.color': 'red' }, updatedBy: 'leeyeh' })
      expect((await fresh(known.id, other)).get('attr')).toEqual({ color: 'red' })
    })

    it('a name, all attributes and then one of them merges them', async () => {
      const conversation = await make({ members: ['merge'], unique: false })
      conversation.name = 'renamed'
      await conversation.save()
      conversation.set('attr', { a: 1 })
      await conversation.save()
      conversation.set('attr.b', { c: 2 })
      await conversation.save()
      const found = await fresh(conversation.id)
      expect([found.name, found.get('attr')]).toEqual(['renamed', { a: 1, b: { c: 2 } }])
    })

    it('an unknown conversation is rejected by name', async () => {
      const missing = await make({ members: ['x'], unique: false })
      await app.request('DELETE', `/1.1/classes/_Conversation/${missing.id}`, { master: true })
      missing.set('attr.x', 1)
      await expect(missing.save()).rejects.toThrow('CONVERSATION_NOT_FOUND')
    })

    it('is restricted to members', async () => {
      const stranger = await logIn('stranger')
      const conversation = await fresh(known.id, stranger)
      conversation.set('attr.x', 1)
      await expect(conversation.save()).rejects.toMatchObject({ code: 4309 })
    })
  })

  describe('members', () => {
    it('can mute and unmute a conversation for themselves, and are counted', async () => {
      await known.mute()
      expect((await fresh(known.id)).muted).toBe(true)
      await known.unmute()
      expect((await fresh(known.id)).muted).toBe(false)
      expect(await known.count()).toBe(2)
    })

    it('are added and removed, and notified', async () => {
      const [guest, conversation] = [await logIn('guest'), await make({ members: ['x'], unique: false })]
      const invited = nextEvent<[{ invitedBy: string }]>(guest, 'invited')
      expect(await conversation.add(['guest'])).toMatchObject({ successfulClientIds: ['guest'], failures: [] })
      expect((await invited)[0]).toEqual({ invitedBy: 'leeyeh' })
      const kicked = nextEvent<[{ kickedBy: string }]>(guest, 'kicked')
      expect(await conversation.remove(['guest'])).toMatchObject({ successfulClientIds: ['guest'], failures: [] })
      expect((await kicked)[0]).toEqual({ kickedBy: 'leeyeh' })
      expect((await fresh(conversation.id)).members.toSorted()).toEqual(['leeyeh', 'x'])
    })

    it('leave and rejoin, including the creator of a conversation of two', async () => {
      // While the package still processes the initial notification, it can merge the old members with the new ones.
      const news = nextEvent<[{ members: string[] }]>(client, 'membersjoined', ({ members }) => members.includes('two'))
      const conversation = await make({ members: ['two'], unique: true })
      await news
      await conversation.quit()
      expect((await fresh(conversation.id)).members).toEqual(['two'])
      await conversation.join()
      expect((await fresh(conversation.id)).members.toSorted()).toEqual(['leeyeh', 'two'])
    })
  })

  describe('a query', () => {
    const query = () => client.getQuery()
    const named = (name = NAME) => query().equalTo('name', name)
    const ids = async (asked: Query) => (await asked.find()).map(({ id }) => id)

    it('without a condition returns the conversations of the client', async () => {
      const all = await query().limit(1000).find()
      expect(all.map(({ id }) => id)).toContain(known.id)
      expect(all.every(({ members }) => members.includes('leeyeh'))).toBe(true)
    })

    it.each<[string, (asked: Query) => Query, boolean]>([
      ['has a member', (asked) => asked.containsMembers(['leeyeh']), true],
      ['has a member that it has not', (asked) => asked.containsMembers(['nobody']), false],
      ['has exactly these members', (asked) => asked.withMembers(['hjiang'], true), true],
      ['has exactly one member', (asked) => asked.withMembers(['leeyeh'], false), false],
      ['has three members', (asked) => asked.withMembers(['hjiang', 'x'], true), false],
      ['has two members', (asked) => asked.sizeEqualTo('m', 2), true],
      ['has another name', (asked) => asked.notEqualTo('name', NAME), false],
      ['matches in either case', (asked) => asked.matches('name', /SDK/i as never), true],
      ['matches in its case', (asked) => asked.matches('name', /SDK/ as never), false],
      ['contains', (asked) => asked.contains('name', 'e-sdk-t'), true],
      ['contains in another case', (asked) => asked.contains('name', 'E-SDK'), false],
      ['begins with', (asked) => asked.startsWith('name', 'js-'), true],
      ['begins with its end', (asked) => asked.startsWith('name', 'testconv'), false],
      ['ends with', (asked) => asked.endsWith('name', 'testconv'), true],
      ['ends with its beginning', (asked) => asked.endsWith('name', 'js-'), false],
      ['was made before tomorrow', (asked) => asked.lessThan('createdAt', later()), true],
      ['was made before tomorrow or then', (asked) => asked.lessThanOrEqualTo('createdAt', later()), true],
      ['was made after tomorrow', (asked) => asked.greaterThan('createdAt', later()), false],
      ['was made after 2020', (asked) => asked.greaterThanOrEqualTo('createdAt', new Date('2020')), true],
      ['has a column that there is not', (asked) => asked.exists('nothing'), false],
      ['has no date', (asked) => asked.doesNotExist('createdAt'), false],
      ['has one of the names', (asked) => asked.containedIn('name', ['x', NAME]), true],
      ['has none of the names', (asked) => asked.notContainsIn('name', [NAME]), false],
    ])('finds a conversation that %s', async (_, narrowed, isFound) => {
      expect(await ids(narrowed(query().equalTo('objectId', known.id)))).toEqual(isFound ? [known.id] : [])
    })

    it('treats quoted characters literally', async () => {
      const odd = await make({ members: ['odd'], unique: false, name: String.raw`a.b\Ec*` })
      expect(await ids(query().contains('name', String.raw`.b\Ec*`))).toEqual([odd.id])
      expect(await ids(query().contains('name', 'aXb'))).toEqual([])
    })

    it('combines conditions with and and or', async () => {
      const { and, or } = (query() as object as { readonly constructor: Combinations }).constructor
      expect(await ids(and(named(), query().sizeEqualTo('m', 2)))).toEqual([known.id])
      expect(await ids(and(named(), query().sizeEqualTo('m', 3)))).toEqual([])
      expect(await ids(or(named('nothing'), named()))).toEqual([known.id])
    })

    it('obeys limit, skip and order', async () => {
      expect(await ids(named().limit(0))).toEqual([])
      expect(await ids(named().skip(1))).toEqual([])
      await make({ members: ['later'], unique: false })
      const ascending = await query().containsMembers(['leeyeh']).ascending('createdAt').limit(2).find()
      expect(ascending[0]!.id).toBe(known.id)
      const descending = await query().containsMembers(['leeyeh']).descending('createdAt').limit(2).find()
      expect(descending[0]!.createdAt.getTime()).toBeGreaterThanOrEqual(descending[1]!.createdAt.getTime())
      expect(descending[1]!.createdAt.getTime()).toBeGreaterThan(ascending[0]!.createdAt.getTime())
    })

    it('omits the members when compact', async () => {
      const [found] = await (await logIn('compact')).getQuery().equalTo('objectId', known.id).compact().find()
      expect(found!.members).toEqual([])
    })
  })
}
