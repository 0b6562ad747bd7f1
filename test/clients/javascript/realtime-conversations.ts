import type { RealtimeCase } from './realtime-cases.ts'
import { makeTools } from './tools.ts'

const { until } = makeTools()

export const CONVERSATION_CASES: readonly RealtimeCase[] = [
  {
    name: 'clients log in with an id or without one, ask who is there, and log out',
    run: async ({ realtime }) => {
      const [ann, nobody] = await Promise.all([realtime.createIMClient('ann'), realtime.createIMClient()])
      const before = await ann.ping(['ann', 'absent', nobody.id])
      await nobody.close()
      return [ann.id, nobody.id.length > 10, before.length, before.includes(nobody.id), await ann.ping([nobody.id])]
    },
    expected: ['ann', true, 2, true, []],
  },
  {
    name: 'a conversation is made, and found by its id with all that it has',
    run: async ({ realtime }) => {
      const [bea, bob] = await Promise.all(['bea', 'bob'].map((id) => realtime.createIMClient(id)))
      const made = await bea.createConversation({ members: ['bob'], name: 'Trip', level: 3, unique: false })
      const found = await bob.getConversation(made.id)
      const missing = await bob.getConversation('0123456789abcdef01234567')
      return {
        id: found.id === made.id,
        members: [...found.members].sort(),
        creator: found.creator,
        name: found.name,
        level: found.get('level'),
        createdAt: found.createdAt instanceof Date && Math.abs(found.createdAt.getTime() - Date.now()) < 600_000,
        missing: missing ?? null,
      }
    },
    expected: {
      id: true,
      members: ['bea', 'bob'],
      creator: 'bea',
      name: 'Trip',
      level: 3,
      createdAt: true,
      missing: null,
    },
  },
  {
    name: 'a unique conversation of the same members is the same',
    run: async ({ realtime }) => {
      const [cat, cid] = await Promise.all(['cat', 'cid'].map((id) => realtime.createIMClient(id)))
      const one = await cat.createConversation({ members: ['cid'], unique: true })
      const two = await cid.createConversation({ members: ['cat'], unique: true })
      const other = await cid.createConversation({ members: ['cat'], unique: false })
      return [one.id === two.id, one.id !== other.id]
    },
    expected: [true, true],
  },
  {
    name: 'members are invited, join, quit and are kicked, and all are told',
    run: async ({ realtime }, _, { next }) => {
      const [dan, dora, dirk] = await Promise.all(['dan', 'dora', 'dirk'].map((id) => realtime.createIMClient(id)))
      const invited = next(dora, 'invited')
      const conversation = await dan.createConversation({ members: ['dora'], unique: false })
      const [{ invitedBy }, doras] = await invited
      const joined = next(doras, 'membersjoined', ({ members }: { members: string[] }) => members.includes('dirk'))
      const dirkInvited = next(dirk, 'invited')
      await conversation.add(['dirk'])
      const [{ members: added }] = await joined
      const [, dirks] = await dirkInvited
      const left = next(conversation, 'membersleft')
      await dirks.quit()
      const [{ members: gone }] = await left
      const back = next(conversation, 'membersjoined')
      await dirks.join()
      const [{ members: again }] = await back
      const kicked = next(dirk, 'kicked')
      await conversation.remove(['dirk'])
      const [{ kickedBy }] = await kicked
      const found = await dora.getConversation(conversation.id, true)
      return { invitedBy, added, gone, again, kickedBy, members: [...found.members].sort(), count: await found.count() }
    },
    expected: {
      invitedBy: 'dan',
      added: ['dirk'],
      gone: ['dirk'],
      again: ['dirk'],
      kickedBy: 'dan',
      members: ['dan', 'dora'],
      count: 2,
    },
  },
  {
    name: 'a chat room carries messages to those who have joined it',
    run: async (sdk, _, { next }) => {
      const [eve, ed] = await Promise.all(['eve', 'ed'].map((id) => sdk.realtime.createIMClient(id)))
      const room = await (eve.createChatRoom?.({ name: 'Lobby' }) ??
        eve.createConversation({ name: 'Lobby', transient: true }))
      const eds = await (await ed.getConversation(room.id)).join()
      const heard = next(eds, 'message')
      await room.send(new sdk.TextMessage('to the room'), { priority: sdk.MessagePriority.HIGH })
      const [message] = await heard
      return [message.getText(), message.from, eds.transient, await room.count()]
    },
    expected: ['to the room', 'eve', true, 2],
  },
  {
    name: 'a service conversation is subscribed to, and what the app sends into it comes',
    run: async ({ realtime }, _, { next, until }) => {
      const fay = await realtime.createIMClient('fay')
      const query: () => Promise<(typeof fay)[]> = () => fay.getQuery().equalTo('name', 'News').find()
      const news = (await until(query, ({ length }) => length === 1))[0]
      await (news.subscribe ?? news.join).call(news)
      const heard = next(fay, 'message')
      const [message] = await heard
      return [message.getText(), message.from, message.cid === news.id]
    },
    meanwhile: async ({ app }) => {
      const { body } = await app.request('POST', '/1.2/rtm/service-conversations', {
        master: true,
        body: { name: 'News' },
      })
      const path = `/1.2/rtm/service-conversations/${body.objectId}`
      const subscribers = async () =>
        (await app.request('GET', `${path}/subscribers/count`, { master: true })).body.count
      await until(subscribers, (count) => count === 1)
      const message = JSON.stringify({ _lctype: -1, _lctext: 'the news' })
      const send = { from_client: 'editor', message }
      const sent = await app.request('POST', `${path}/broadcasts`, { master: true, body: send })
      if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
    },
    expected: ['the news', 'editor', true],
  },
  {
    name: 'a temporary conversation carries messages, and is no object',
    since: 4,
    run: async (sdk, _, { next }) => {
      const [gil, gus] = await Promise.all(['gil', 'gus'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await gil.createTemporaryConversation({ members: ['gus'], ttl: 600 })
      const heard = next(gus, 'message')
      await conversation.send(new sdk.TextMessage('briefly'))
      const [message, guss] = await heard
      return [message.getText(), guss.id === conversation.id, guss.id.startsWith('_tmp:'), [...guss.members].sort()]
    },
    expected: ['briefly', true, true, ['gil', 'gus']],
  },
  {
    name: 'attributes are changed, and read by others',
    run: async ({ realtime }) => {
      const [hal, hans] = await Promise.all(['hal', 'hans'].map((id) => realtime.createIMClient(id)))
      const conversation = await hal.createConversation({ members: ['hans'], name: 'Old', unique: false })
      conversation.name = 'New'
      if (conversation.setName) conversation.setName('New')
      conversation.set('topic', 'boats')
      await conversation.save()
      const found = await hans.getConversation(conversation.id, true)
      return [found.name, found.get('topic'), found.updatedAt >= found.createdAt]
    },
    expected: ['New', 'boats', true],
  },
  {
    name: 'a conversation is muted and unmuted',
    run: async ({ realtime }) => {
      const ida = await realtime.createIMClient('ida')
      const conversation = await ida.createConversation({ members: ['ian'], unique: false })
      const muted = async () => {
        await conversation.mute()
        return (await ida.getConversation(conversation.id, true)).muted
      }
      const unmuted = async () => {
        await conversation.unmute()
        return (await ida.getConversation(conversation.id, true)).muted
      }
      return [await muted(), await unmuted()]
    },
    expected: [true, false],
  },
  {
    name: 'conversations are found by condition, ordered, cut, and with their last messages',
    run: async (sdk) => {
      const joe = await sdk.realtime.createIMClient('joe')
      const make = (name: string, rank: number, members: string[]) =>
        joe.createConversation({ name, rank, members, unique: false })
      const made = [
        await make('one', 1, ['jim']),
        await make('two', 2, ['jim', 'jan']),
        await make('three', 3, ['jan']),
      ]
      await made[1].send(new sdk.TextMessage('the last'))
      const find = async (narrow: (query: typeof joe) => void) => {
        const query = joe.getQuery()
        narrow(query)
        return (await query.find()).map(({ name }: { name: string }) => name)
      }
      const [last] = await joe.getQuery().equalTo('name', 'two').withLastMessagesRefreshed().find()
      return {
        members: (await find((query) => query.containsMembers(['jim']))).sort(),
        exactly: await find((query) => query.withMembers(['jim', 'joe'])),
        above: await find((query) => query.greaterThan('rank', 1).ascending('rank')),
        page: await find((query) => query.descending('rank').skip(1).limit(1)),
        matches: await find((query) => query.matches('name', /^t/).ascending('rank')),
        mine: (await find((query) => query.containsMembers(['joe']).contains('name', 'o'))).sort(),
        last: last.lastMessage.getText(),
        lastAt: last.lastMessageAt instanceof Date,
      }
    },
    expected: {
      members: ['one', 'two'],
      exactly: ['one'],
      above: ['two', 'three'],
      page: ['two'],
      matches: ['two', 'three'],
      mine: ['one', 'two'],
      last: 'the last',
      lastAt: true,
    },
  },
  {
    name: 'members get roles, are silenced and blocked',
    since: 4,
    run: async (sdk, _, { next, codeOf }) => {
      const [kim, kai] = await Promise.all(['kim', 'kai'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await kim.createConversation({ members: ['kai'], unique: false })
      const kais = await kai.getConversation(conversation.id)
      await conversation.updateMemberRole('kai', sdk.ConversationMemberRole.MANAGER)
      const infos = await conversation.getAllMemberInfo({ noCache: true })
      const roles = infos.map((info: { memberId: string; role: string }) => [info.memberId, info.role])
      await conversation.updateMemberRole('kai', sdk.ConversationMemberRole.MEMBER)
      const silenced = next(kai, 'muted')
      await conversation.muteMembers(['kai'])
      await silenced
      const refused = await codeOf(kais.send(new sdk.TextMessage('may I?')))
      const { results: silent = [] } = await conversation.queryMutedMembers({})
      await conversation.unmuteMembers(['kai'])
      const allowed = await codeOf(kais.send(new sdk.TextMessage('thanks')))
      const blocked = next(kai, 'blocked')
      await conversation.blockMembers(['kai'])
      await blocked
      return { roles: roles.sort(), refused, silent, allowed, members: (await conversation.fetch()).members }
    },
    expected: {
      roles: [
        ['kai', 'Manager'],
        ['kim', 'Owner'],
      ],
      refused: 4563,
      silent: ['kai'],
      allowed: null,
      members: ['kim'],
    },
  },
]
