import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { localBus } from '../bus/local-bus.ts'
import { localDirectory } from '../bus/local-directory.ts'
import type { SessionEvent } from './events.ts'
import type { Message } from './message.ts'
import { type ClientSession, Presence, type PresenceOptions } from './presence.ts'

const silent = pino({ level: 'silent' })
let sessions = 0

interface TestSession extends ClientSession {
  readonly received: string[]
  readonly ended: string[]
}

function session(clientId: string, options: Partial<ClientSession> = {}): TestSession {
  const [received, ended]: string[][] = [[], []]
  return {
    id: `session ${sessions++}`,
    clientId,
    tag: null,
    deviceId: null,
    openedAt: 0,
    version: 3,
    received: received!,
    ended: ended!,
    push: (event) => void received!.push(event.kind === 'message' ? event.message.content : event.kind),
    end: (code, reason) => void ended!.push(`${code} ${reason}`),
    ...options,
  }
}

/** Two nodes on one bus. */
function nodes(options: Partial<PresenceOptions> = {}) {
  const bus = localBus(silent)
  const shared = {
    appId: 'app',
    bus,
    directory: localDirectory(),
    alone: false,
    subscribersAmong: async () => new Set<string>(),
    log: silent,
    ...options,
  }
  return { bus, here: new Presence(shared), there: new Presence(shared) }
}

function online(presence: Presence, ...all: readonly TestSession[]): void {
  for (const one of all) presence.add(one)
}

function message(content: string, ts = 1): SessionEvent {
  const written: Message = {
    id: content,
    convId: 'talk',
    ts,
    sender: 'tom',
    content,
    bin: false,
    mentionAll: false,
    mentions: [],
    receipt: false,
    patchedAt: null,
    recalled: false,
    ip: null,
  }
  return { kind: 'message', message: written, conversation: 'normal', transient: false }
}

it('notifies all sessions of the clients on all nodes, except the excluded session', () => {
  const { here, there } = nodes()
  const [phone, laptop, onOtherNode, outsider] = [session('ann'), session('ann'), session('ann'), session('bob')]
  online(here, phone, laptop, outsider)
  online(there, onOtherNode)
  here.deliver({ clients: ['ann', 'nobody'] }, message('hello'), phone.id)
  expect([phone, laptop, onOtherNode, outsider].map(({ received }) => received)).toEqual([[], ['hello'], ['hello'], []])
})

it('does not notify a session that has left', () => {
  const { here } = nodes()
  const ann = session('ann')
  online(here, ann)
  here.remove(ann)
  here.deliver({ clients: ['ann'] }, message('hello'))
  expect(ann.received).toEqual([])
})

it('keeps a client online until its last session has left', async () => {
  const { here } = nodes()
  const [phone, laptop] = [session('ann'), session('ann')]
  online(here, phone, laptop)
  here.remove(phone)
  expect(await here.online(['ann', 'bob'])).toEqual(new Set(['ann']))
  here.remove(laptop)
  here.remove(laptop)
  expect(await here.online(['ann'])).toEqual(new Set())
})

it('notifies the sessions in a room, except one session or all sessions of a client', async () => {
  const { here, there } = nodes()
  const [phone, laptop, bob, outside] = [session('ann'), session('ann'), session('bob'), session('cat')]
  online(here, phone, laptop, outside)
  online(there, bob)
  for (const one of [phone, laptop]) here.enterRoom(one, 'room')
  there.enterRoom(bob, 'room')
  here.deliver({ room: 'room' }, message('first'), phone.id)
  there.deliver({ room: 'room', without: 'ann' }, message('second'))
  expect([phone, laptop, bob, outside].map(({ received }) => received)).toEqual([
    [],
    ['first'],
    ['first', 'second'],
    [],
  ])
})

it('moves a session out of its room when it enters another or leaves', async () => {
  const { here } = nodes()
  const ann = session('ann')
  online(here, ann)
  here.enterRoom(ann, 'first')
  here.enterRoom(ann, 'second')
  expect([here.roomOf(ann), await here.countInRoom('first'), await here.countInRoom('second')]).toEqual([
    'second',
    0,
    1,
  ])
  here.deliver({ room: 'first' }, message('to the first'))
  here.remove(ann)
  expect([here.roomOf(ann), await here.countInRoom('second')]).toEqual([null, 0])
  expect(ann.received).toEqual([])
})

it('does not add a session to a room after it has ended', async () => {
  const { here } = nodes()
  const ann = session('ann')
  online(here, ann)
  here.remove(ann)
  here.enterRoom(ann, 'room')
  expect([here.roomOf(ann), await here.countInRoom('room')]).toEqual([null, 0])
})

it('looks up on each node which of its own clients subscribe', async () => {
  const lookups: string[][] = []
  const subscribersAmong = async (convId: string, clientIds: readonly string[]) => {
    lookups.push([convId, ...clientIds])
    return new Set(clientIds.filter((clientId) => clientId.startsWith('subscriber')))
  }
  const { here, there } = nodes({ subscribersAmong })
  const [one, other, outsider] = [session('subscriber 1'), session('subscriber 2'), session('stranger')]
  online(here, one)
  online(there, other, outsider)
  here.deliver({ subscribers: 'news' }, message('headline'))
  await vi.waitFor(() => expect(other.received).toEqual(['headline']), 10_000)
  expect([one.received, outsider.received]).toEqual([['headline'], []])
  expect(lookups).toEqual([
    ['news', 'subscriber 1'],
    ['news', 'subscriber 2', 'stranger'],
  ])
})

it('looks up subscribers in groups of a thousand clients', async () => {
  const sizes: number[] = []
  const { here } = nodes({
    alone: true,
    subscribersAmong: async (_, clientIds) => {
      sizes.push(clientIds.length)
      return new Set(clientIds)
    },
  })
  const all = Array.from({ length: 2001 }, (_, number) => session(`client ${number}`))
  online(here, ...all)
  here.deliver({ subscribers: 'news' }, message('headline'))
  await vi.waitFor(() => expect(all.every(({ received }) => received.length === 1)).toBe(true), 10_000)
  expect(sizes).toEqual([1000, 1000, 1])
})

it('keeps the order of the conversation for messages to subscribers', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { here } = nodes({
    subscribersAmong: async (_, clientIds) => {
      await held
      return new Set(clientIds)
    },
  })
  const ann = session('ann')
  online(here, ann)
  here.deliver({ clients: ['ann'] }, message('first', 1), null, { convId: 'news', before: 0, ts: 1 })
  here.deliver({ subscribers: 'news' }, message('second', 2), null, { convId: 'news', before: 1, ts: 2 })
  here.deliver({ clients: ['ann'] }, message('third', 3), null, { convId: 'news', before: 2, ts: 3 })
  release()
  await vi.waitFor(() => expect(ann.received).toEqual(['first', 'second', 'third']), 10_000)
})

it('notifies subscribers again after a failed lookup', async () => {
  let attempts = 0
  const { here } = nodes({
    subscribersAmong: async (_, clientIds) => {
      if (attempts++ === 0) throw new Error('the database is away')
      return new Set(clientIds)
    },
  })
  const ann = session('ann')
  online(here, ann)
  here.deliver({ subscribers: 'news' }, message('lost'))
  here.deliver({ subscribers: 'news' }, message('found'))
  await vi.waitFor(() => expect(ann.received).toEqual(['found']), 10_000)
})

it('notifies everyone on all nodes', () => {
  const { here, there } = nodes()
  const [ann, bob] = [session('ann'), session('bob')]
  online(here, ann)
  online(there, bob)
  here.deliver({ everyone: true }, message('hello'))
  expect([ann.received, bob.received]).toEqual([['hello'], ['hello']])
})

it('delivers messages of one conversation from two nodes everywhere in the order of their times', () => {
  const late: (() => void)[] = []
  const inner = localBus(silent)
  // Events of the first node arrive late at the others.
  const slow: Bus = { ...inner, publish: async (topic, text) => void late.push(() => void inner.publish(topic, text)) }
  const shared = {
    appId: 'app',
    directory: localDirectory(),
    alone: false,
    subscribersAmong: async () => new Set<string>(),
  }
  const first = new Presence({ ...shared, bus: slow, log: silent })
  const second = new Presence({ ...shared, bus: inner, log: silent })
  const ann = session('ann')
  second.add(ann)
  second.deliver({ clients: ['ann'] }, message('1', 1), null, { convId: 'talk', before: 0, ts: 1 })
  first.deliver({ clients: ['ann'] }, message('2', 2), null, { convId: 'talk', before: 1, ts: 2 })
  second.deliver({ clients: ['ann'] }, message('3', 3), null, { convId: 'talk', before: 2, ts: 3 })
  expect(ann.received).toEqual(['1'])
  for (const arrive of late) arrive()
  expect(ann.received).toEqual(['1', '2', '3'])
})

it('does not wait for messages of other nodes while the bus is disconnected', () => {
  const bus: Bus = { ...localBus(silent), connected: false }
  const { here } = nodes({ bus })
  const ann = session('ann')
  here.add(ann)
  here.deliver({ clients: ['ann'] }, message('1', 1), null, { convId: 'talk', before: 0, ts: 1 })
  here.deliver({ clients: ['ann'] }, message('3', 3), null, { convId: 'talk', before: 2, ts: 3 })
  expect(ann.received).toEqual(['1', '3'])
})

it('sends no unread states to sessions of version 1', () => {
  const { here } = nodes()
  const [old, current] = [session('ann', { version: 1 }), session('ann')]
  online(here, old, current)
  here.deliver({ clients: ['ann'] }, { kind: 'unread', at: 1, conversations: [] })
  expect([old.received, current.received]).toEqual([[], ['unread']])
})

it('notifies the other sessions when one fails', () => {
  const { here } = nodes()
  const broken = session('ann', {
    push: () => {
      throw new Error('broken')
    },
  })
  const other = session('ann')
  online(here, broken, other)
  here.deliver({ clients: ['ann'] }, message('hello'))
  expect(other.received).toEqual(['hello'])
})

it('delivers events that exceed the payload limit of PostgreSQL to other nodes', () => {
  const inner = localBus(silent)
  const lengths: number[] = []
  const bus: Bus = {
    ...inner,
    publish: async (topic, text) => {
      lengths.push(Buffer.byteLength(JSON.stringify(text)))
      await inner.publish(topic, text)
    },
  }
  const { here, there } = nodes({ bus })
  const ann = session('ann')
  online(there, ann)
  const content = '你好"\\'.repeat(1200)
  const clients = [...Array.from({ length: 499 }, (_, number) => `a client with a long id, number ${number}`), 'ann']
  here.deliver({ clients }, message(content))
  here.deliver({ clients: ['ann'] }, message('short'))
  expect(ann.received).toEqual([content, 'short'])
  expect(lengths.length).toBeGreaterThan(2)
  expect(Math.max(...lengths)).toBeLessThan(7500)
})

it('ends the sessions of a client on all nodes: all, or those with a tag, except one', () => {
  const { here, there } = nodes()
  const [phone, newPhone, laptop, bob] = [
    session('ann', { tag: 'phone' }),
    session('ann', { tag: 'phone' }),
    session('ann', { tag: 'laptop' }),
    session('bob', { tag: 'phone' }),
  ]
  online(here, phone, laptop, bob)
  online(there, newPhone)
  there.endSessions({ clientId: 'ann', tag: 'phone', except: newPhone.id }, 4111, 'SESSION_CONFLICT')
  expect([phone, newPhone, laptop, bob].map(({ ended }) => ended)).toEqual([['4111 SESSION_CONFLICT'], [], [], []])
  here.deliver({ clients: ['ann'] }, message('hello'))
  expect([phone.received, newPhone.received]).toEqual([[], ['hello']])
  here.endSessions({ clientId: 'ann', tag: null, except: null }, 4115, 'KICKED_BY_APP')
  expect([newPhone.ended, laptop.ended, bob.ended]).toEqual([['4115 KICKED_BY_APP'], ['4115 KICKED_BY_APP'], []])
})

it('receives nothing on a node that has stopped', () => {
  const { here, there } = nodes()
  const ann = session('ann')
  online(there, ann)
  there.stop()
  here.deliver({ clients: ['ann'] }, message('hello'))
  expect(ann.received).toEqual([])
})
