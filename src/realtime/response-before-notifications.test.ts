import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { serveMessaging } from '../../test/support/messaging-server.ts'
import { connect, type RawConnection } from '../../test/support/raw-connection.ts'
import { localDirectory } from '../bus/local-directory.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'

/*
 * A client handles frames that arrive together before the code continues that awaits the response among them. So notifications of
 * a command to its own client, or to another client of the connection, must be written later than the response
 * (protocol/realtime, What every server command must carry). Server and clients share an event loop here: what the server writes
 * in one iteration arrives together, and what it writes in the next one does not.
 */

const bench = await makeMessaging()
const { messaging, conversation, hooks } = bench
const node = await serveMessaging(bench, bench.database, localDirectory())

let count = 0
let names = { owner: '', friend: '', other: '' }
/** The owner and the friend. */
let shared: RawConnection
/** The owner again, in another session. */
let second: RawConnection
let cid = ''
let another = ''
/** On the other client, because an owner cannot leave its own conversation. */
let foreign = ''

afterEach(() => hooks.clear())

beforeEach(async () => {
  count++
  names = { owner: `owner ${count}`, friend: `friend ${count}`, other: `other ${count}` }
  const { owner, friend, other } = names
  cid = await conversation([owner, friend, other])
  another = await conversation([owner, friend])
  foreign = await conversation([other, owner, friend])
  shared = await connect(node)
  second = await connect(node)
  await shared.open(owner, { tag: 'one' })
  await shared.open(friend)
  await second.open(owner)
})

/** The expected notifications, in the form `connection client operation`. */
type Notified = readonly string[]

const textOf = (connection: string) => (command: GenericCommand) =>
  `${connection} ${Object.entries(names).find(([, name]) => name === command.peerId)?.[0]} ${command.op ?? command.cmd}`
const pushesOf = (connection: RawConnection, from: number) =>
  connection.received.slice(from).filter(({ i, cmd }) => i === undefined && cmd !== 'unread')

/**
 * Sends a command of the owner and checks, as soon as the code continues that awaits the response, that nothing else has arrived
 * on either connection.
 * @param expected the events that arrive later, in any order
 */
async function check(command: GenericCommand, expected: Notified, fails = false): Promise<GenericCommand> {
  const [before, secondBefore] = [shared.received.length, second.received.length]
  const response = await shared.request({ ...command, peerId: names.owner })
  // The unread messages may still be counted for the logins.
  const isExpected = ({ cmd }: GenericCommand) => cmd !== 'unread'
  expect(shared.received.slice(before).filter(isExpected), 'together with the response, or before it').toEqual([
    response,
  ])
  expect(second.received.slice(secondBefore).filter(isExpected), 'on the other connection').toEqual([])
  const notified = () => [
    ...pushesOf(shared, before).map(textOf('shared')),
    ...pushesOf(second, secondBefore).map(textOf('second')),
  ]
  expect(response.cmd === 'error', JSON.stringify(response)).toBe(fails)
  await expect.poll(() => notified().sort(), { interval: 5 }).toEqual([...expected].sort())
  return response
}

/** All clients get the same notifications. */
const all = (...operations: string[]) =>
  operations.flatMap((op) => ['shared owner', 'shared friend', 'second owner'].map((who) => `${who} ${op}`))
const others = (...operations: string[]) =>
  operations.flatMap((op) => ['shared friend', 'second owner'].map((who) => `${who} ${op}`))

const conv = (op: GenericCommand['op'], convMessage: GenericCommand['convMessage']): GenericCommand => ({
  cmd: 'conv',
  ...(op && { op }),
  ...(convMessage && { convMessage }),
})
const blacklist = (op: 'block' | 'unblock', blacklistMessage: GenericCommand['blacklistMessage']): GenericCommand => ({
  cmd: 'blacklist',
  op,
  ...(blacklistMessage && { blacklistMessage }),
})

it.each<[string, () => GenericCommand, () => Notified]>([
  ['makes a conversation', () => conv('start', { m: [names.friend] }), () => all('joined', 'members_joined')],
  [
    'makes a temporary conversation',
    () => conv('start', { m: [names.friend], tempConv: true }),
    () => all('joined', 'members_joined'),
  ],
  ['adds a member', () => conv('add', { cid: another, m: [names.other] }), () => all('members_joined')],
  ['removes a member', () => conv('remove', { cid, m: [names.other] }), () => all('members_left')],
  [
    'removes a client of the connection',
    () => conv('remove', { cid, m: [names.friend] }),
    () => ['shared friend left', 'shared owner members_left', 'second owner members_left'],
  ],
  [
    'leaves',
    () => conv('remove', { cid: foreign, m: [names.owner] }),
    () => ['shared owner left', 'second owner left', 'shared friend members_left'],
  ],
  ['changes attributes', () => conv('update', { cid, attr: { data: '{"name":"n"}' } }), () => others('updated')],
  [
    'gives a role',
    () =>
      conv('member_info_update', { cid, targetClientId: names.friend, info: { pid: names.friend, role: 'Manager' } }),
    () => all('member_info_changed'),
  ],
  [
    'silences a member',
    () => conv('add_shutup', { cid, m: [names.friend] }),
    () => ['shared friend shutuped', ...all('members_shutuped')],
  ],
  [
    'blocks a member',
    () => blacklist('block', { srcCid: cid, toPids: [names.friend] }),
    () => [
      'shared friend blocked',
      'shared friend left',
      ...['shared', 'second'].flatMap((one) => [`${one} owner members_blocked`, `${one} owner members_left`]),
    ],
  ],
  [
    'keeps two conversations away from itself',
    () => blacklist('block', { toCids: [cid, another] }),
    () =>
      Array.from({ length: 2 }, () => ['shared owner left', 'second owner left', 'shared friend members_left']).flat(),
  ],
  ['sends a message', () => ({ cmd: 'direct', directMessage: { cid, msg: 'hello' } }), () => others('direct')],
  [
    'sends a transient message',
    () => ({ cmd: 'direct', directMessage: { cid, msg: 'hello', transient: true } }),
    () => others('direct'),
  ],
])('sends the response first to a client that %s', async (_, command, expected) => {
  await check(command(), expected())
})

it('sends the response before the change by a hook', async () => {
  hooks.set('_messageReceived', () => ({ content: 'nicer', code: 7, detail: 'too rude' }))
  await check({ cmd: 'direct', directMessage: { cid, msg: 'rude' } }, ['shared owner modify', ...others('direct')])
})

it('notifies members of a chat room on one connection', async () => {
  const { convMessage } = await shared.request({ ...conv('start', { transient: true }), peerId: names.owner })
  const room = convMessage!.cid!
  await shared.request({ ...conv('add', { cid: room, m: [names.friend] }), peerId: names.friend })
  await check({ cmd: 'direct', directMessage: { cid: room, msg: 'hello' } }, ['shared friend direct'])
  await check(conv('update', { cid: room, attr: { data: '{"name":"n"}' } }), ['shared friend updated'])
})

it('sends each response first to a client that reverses its changes', async () => {
  await check(conv('add_shutup', { cid, m: [names.friend] }), ['shared friend shutuped', ...all('members_shutuped')])
  await check(conv('remove_shutup', { cid, m: [names.friend] }), [
    'shared friend unshutuped',
    ...all('members_unshutuped'),
  ])
  await shared.request({ ...blacklist('block', { srcCid: cid, toPids: [names.other] }), peerId: names.owner })
  await expect.poll(() => pushesOf(second, 0).filter(({ op }) => op === 'members_left')).toHaveLength(1)
  await check(blacklist('unblock', { srcCid: cid, toPids: [names.other] }), all('members_unblocked'))
})

it('sends the response first for edits and recalls, also several in one command, and also when one of them fails', async () => {
  const sent = []
  for (const msg of ['a', 'b']) {
    const { ackMessage } = await check({ cmd: 'direct', directMessage: { cid, msg } }, others('direct'))
    sent.push({ cid, mid: ackMessage!.uid!, timestamp: ackMessage!.t! })
  }
  const patch = (...patches: object[]): GenericCommand => ({
    cmd: 'patch',
    op: 'modify',
    patchMessage: { patches: patches as never },
  })
  await check(patch({ ...sent[0], data: 'a 2' }), others('modify'))
  await check(patch({ ...sent[0], data: 'a 3' }, { ...sent[1], data: 'b 3' }), others('modify', 'modify'))
  hooks.set('_messageUpdate', () => ({ content: 'nicer', code: 7, detail: 'too rude' }))
  const unknown = { cid, mid: 'unknown', timestamp: 1, data: 'c' }
  const response = await check(
    patch({ ...sent[0], data: 'a 4' }, unknown),
    ['shared owner modify', ...others('modify')],
    true,
  )
  expect(response).toMatchObject({ errorMessage: { code: 4404 } })
  hooks.clear()
  await check(patch({ ...sent[0], recall: true }, { ...sent[1], recall: true }), others('modify', 'modify'))
})

it('ends another session of the client after the response to a login', async () => {
  const third = await connect(node)
  const [before, secondBefore] = [shared.received.length, second.received.length]
  const response = await third.open(names.owner, { tag: 'one' })
  expect(response).toMatchObject({ cmd: 'session', op: 'opened' })
  expect(third.received).toEqual([response])
  expect([shared.received.length, second.received.length]).toEqual([before, secondBefore])
  await expect.poll(() => pushesOf(shared, before)).toMatchObject([{ op: 'closed', sessionMessage: { code: 4111 } }])
})

it('sends the response to a login before the unread counts', async () => {
  await bench.send(names.friend, cid, 'missed')
  const { owner } = names
  await shared.request({ cmd: 'session', op: 'close', peerId: owner })
  const before = shared.received.length
  const response = await shared.open(owner)
  expect(shared.received.slice(before)).toEqual([response])
  await expect.poll(() => shared.received.slice(before + 1).map(textOf('shared'))).toEqual(['shared owner unread'])
})

it('delivers concurrent events of others in order, each once', async () => {
  const { owner, friend, other } = names
  const outsider = await connect(node)
  await outsider.open(other)
  const before = shared.received.length
  const texts: string[] = []
  const sends = []
  for (let n = 0; n < 100; n++) {
    const [connection, peerId] = n % 2 ? [shared, owner] : [outsider, other]
    sends.push(connection.request({ cmd: 'direct', peerId, directMessage: { cid, msg: `${n}` } }))
    texts.push(`${n}`)
    if (n % 10 === 0) await sends.at(-1)
  }
  await Promise.all(sends)
  const received = () =>
    shared.received.slice(before).filter(({ cmd, peerId }) => cmd === 'direct' && peerId === friend)
  await expect.poll(() => received().length).toBe(100)
  const times = received().map(({ directMessage }) => directMessage!.timestamp!)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(
    received()
      .map(({ directMessage }) => directMessage!.msg)
      .sort(),
  ).toEqual(texts.sort())
  expect(messaging.presence.sessionsOf(owner)).toHaveLength(2)
})
