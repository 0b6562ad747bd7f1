import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { ErrorCommand, GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'
import { bounded, runs } from '../support/runs.ts'
import type { WireMessage } from './command-frames.ts'
import { command, filled } from './commands.ts'
import { checkNumbers, type FuzzedConnection, openFuzzed } from './fuzzed-connection.ts'
import { startRealtimeServer } from './realtime-server.ts'
import { checkError } from './server.ts'

const server = await startRealtimeServer()
/** Milliseconds; the test usually takes a tenth of that. */
const LIMIT = 120_000
const SECRET = 'only for the two of them'

const connections = fc.array(
  fc.record({
    subprotocol: fc.constantFrom(
      'lc.protobuf2.3',
      'lc.protobuf2.1',
      'lc.proto2base64.3',
      'lc.proto2base64.1',
      'lc.json.3',
    ),
    /** Whether it starts as usual clients do: two log in, and one starts a conversation and sends a message. */
    logsIn: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    end: fc.constantFrom<'close' | 'drop'>('close', 'drop'),
  }),
  { minLength: 1, maxLength: 2 },
)
const steps = fc.array(fc.record({ on: fc.nat(1), command }), { minLength: 1, maxLength: 12 })

/** Known ids of a sequence, by placeholder. */
type Known = Map<string, string | number>

const begin: readonly WireMessage[] = [
  { cmd: 'session', op: 'open', i: 2001, appId: '@app', peerId: 'alice' },
  { cmd: 'session', op: 'open', i: 2002, appId: '@app', peerId: 'bob' },
  {
    cmd: 'conv',
    op: 'start',
    i: 2003,
    peerId: 'alice',
    convMessage: { m: ['bob', 'carol', 'host'], attr: { data: '{"name":"a","attr":{"color":"red"}}' } },
  },
  { cmd: 'direct', i: 2004, peerId: 'alice', directMessage: { cid: '@normal', msg: 'mine', r: true } },
]

test(
  'answers each request once and affects no other client, whatever clients send',
  async () => {
    const host = await connect(server)
    await host.open('host')
    const watchers = await makeWatchers()
    const system = await server.ask('POST', '/1.2/rtm/service-conversations', { name: 'news' })
    const before = await server.sockets()
    await fc.assert(
      fc.asyncProperty(connections, steps, fc.boolean(), async (wanted, sequence, atOnce) => {
        const known = new Map([...(await makeScene(host)), ...watchers.known, ['@system', String(system.objectId)]])
        const opened = await Promise.all(wanted.map(({ subprotocol }) => openFuzzed(server.url, subprotocol)))
        try {
          for (const [number, { logsIn }] of wanted.entries())
            if (logsIn) await play(opened[number]!, begin, known, false)
          for (const { on, command } of sequence) await play(opened[on % opened.length]!, [command], known, atOnce)
          for (const connection of opened) await connection.settled()
          // Duplicate and misdirected messages have arrived by then.
          await watchers.talk()
          for (const connection of opened) check(connection)
        } finally {
          await Promise.all(opened.map((connection, number) => connection.end(wanted[number]!.end)))
        }
        await expectNobodyLeft(known)
      }),
      { ...runs(200), ...bounded(LIMIT) },
    )
    // Allows for connections opened by the database pool.
    await vi.waitFor(async () => expect(await server.sockets()).toBeLessThan(before + 30), 10_000)
  },
  2 * bounded(LIMIT).interruptAfterTimeLimit,
)

/** Sends commands, either one after each response or all at once. */
async function play(connection: FuzzedConnection, commands: readonly WireMessage[], known: Known, atOnce: boolean) {
  for (const command of commands) {
    if (connection.closing) return
    connection.send(filled(command, known))
    if (atOnce) continue
    await connection.settled()
    learn(connection.received.at(-1), known)
  }
}

/** Records ids that later commands of a sequence can use. */
function learn(answer: GenericCommand | undefined, known: Known): void {
  const { ackMessage, convMessage, sessionMessage } = answer ?? {}
  if (ackMessage?.uid) known.set('@mine', ackMessage.uid)
  if (ackMessage?.t) known.set('@my time', ackMessage.t)
  if (answer?.op === 'started') known.set('@last', convMessage!.cid!)
  if (sessionMessage?.st) known.set('@token', sessionMessage.st)
}

let scenes = 0

/** Creates new client ids, conversations and messages for a sequence. */
async function makeScene(host: RawConnection): Promise<Known> {
  const number = ++scenes
  const [alice, bob] = [`alice ${number}`, `bob ${number}`]
  const start = async (convMessage: GenericCommand['convMessage']) =>
    (await host.request({ cmd: 'conv', op: 'start', convMessage })).convMessage!.cid!
  const m = [alice, bob]
  const [normal, temporary, room] = await Promise.all([
    start({ m }),
    start({ m, tempConv: true }),
    server.ask('POST', '/1.2/rtm/chatrooms', { name: 'room' }),
  ])
  const { ackMessage } = await host.request({ cmd: 'direct', directMessage: { cid: normal, msg: 'theirs', r: true } })
  return new Map<string, string | number>([
    ['@app', server.appId],
    ['alice', alice],
    ['bob', bob],
    ['@normal', normal],
    ['@temporary', temporary],
    ['@room', String(room.objectId)],
    ['@theirs', ackMessage!.uid!],
    ['@their time', ackMessage!.t!],
    ['@my time', 0],
  ])
}

/** Creates two clients with a private conversation. */
async function makeWatchers() {
  const [one, other] = [await connect(server), await connect(server)]
  await one.open('watcher one')
  await other.open('watcher two')
  const { convMessage } = await one.request({ cmd: 'conv', op: 'start', convMessage: { m: ['watcher two'] } })
  const cid = convMessage!.cid!
  const isOf = (op: string) => (command: GenericCommand) => command.op === op
  for (const watcher of [one, other]) {
    await watcher.take(isOf('joined'))
    await watcher.take(isOf('members_joined'))
  }
  let count = 0
  const say = async () => {
    const msg = `${SECRET} ${++count}`
    const { ackMessage } = await one.request({ cmd: 'direct', directMessage: { cid, msg } })
    expect(ackMessage).toEqual({ cid, uid: expect.any(String), t: expect.any(Number) })
    const heard = await other.take(({ directMessage }) => directMessage?.msg === msg)
    expect(heard).toMatchObject({ cmd: 'direct', peerId: 'watcher two', directMessage: { cid, id: ackMessage!.uid } })
    return ackMessage!
  }
  const { uid, t } = await say()
  // Unread notifications can arrive at any time after the login.
  const news = () => [one, other].flatMap(({ received }) => received.filter((command) => command.cmd !== 'unread'))
  let seen = news().length
  return {
    known: new Map<string, string | number>([
      ['@foreign', cid],
      ['@foreign message', uid!],
      ['@foreign time', t!],
    ]),
    /** Checks that they can still exchange messages and received only those: an acknowledgment and the message. */
    async talk(): Promise<void> {
      const expected = seen + 2
      await say()
      const all = news()
      seen = all.length
      expect(seen, JSON.stringify(all.slice(-5))).toBe(expected)
    },
  }
}

/** Checks that the server closed with a documented code and reason. */
function checkClosing({ closing, longestFrame }: FuzzedConnection): void {
  if (!closing) return
  const reasons = new Map([
    [4100, 'APP_NOT_AVAILABLE'],
    [4101, 'DUPLICATED_LOGIN'],
    [4109, 'FRAME_TOO_LONG'],
    [4114, 'UNPARSEABLE_RAW_MESSAGE'],
  ])
  // Frames of more than four times the limit are not read: pending data can reset the connection before the reason arrives.
  if (closing.code === 1009 || closing.code === 1006) expect(longestFrame).toBeGreaterThan(64 * 1024)
  else expect(closing).toEqual({ code: closing.code, reason: reasons.get(closing.code) })
  if (closing.code === 4109) expect(longestFrame).toBeGreaterThan(16 * 1024)
}

function check(connection: FuzzedConnection): void {
  checkClosing(connection)
  checkNumbers(connection)
  for (const answer of connection.received) {
    const shown = JSON.stringify(answer)
    for (const secret of [...server.secrets, SECRET]) expect(shown).not.toContain(secret)
    const { errorMessage, ackMessage, convMessage, blacklistMessage } = answer
    const failed = [...(convMessage?.failedPids ?? []), ...(blacklistMessage?.failedPids ?? [])]
    for (const error of [errorMessage, ...failed]) if (error) checkRefusal(error, shown)
    if (answer.cmd === 'error') expect(errorMessage, shown).toBeDefined()
    if (ackMessage?.code !== undefined)
      checkRefusal({ ...ackMessage, code: ackMessage.code, reason: ackMessage.reason! }, shown)
    // Clients treat any code as a failure (protocol/realtime, Server rules that are easy to miss, rule 4).
    if (answer.cmd !== 'error' && answer.op !== 'closed') expect(answer.sessionMessage?.code, shown).toBeUndefined()
  }
}

function checkRefusal({ code, reason, detail = '', appMsg = '' }: ErrorCommand, shown: string): void {
  expect(code, shown).toBeGreaterThanOrEqual(4100)
  expect(code, shown).not.toBe(4200)
  expect(reason, shown).toMatch(/^[A-Z]+(_[A-Z]+)+$|^SILIENCED$/)
  checkError({ code, error: `${reason} ${detail} ${appMsg}` }, shown)
}

/** Expects that only the host and the two watchers are online, and the room is empty. */
async function expectNobodyLeft(known: Known): Promise<void> {
  await vi.waitFor(
    async () => {
      const { result } = await server.ask('GET', '/1.2/rtm/stats')
      expect(result).toMatchObject({ online_user_count: 3 })
      const inRoom = await server.ask('GET', `/1.2/rtm/chatrooms/${known.get('@room')}/members/online-count`)
      expect(inRoom).toEqual({ result: 0 })
      const clients = { client_ids: [known.get('alice'), known.get('bob'), 'carol', 'nobody'] }
      expect(await server.ask('POST', '/1.2/rtm/clients/check-online', clients)).toEqual({ results: [] })
    },
    { timeout: 60_000, interval: 5 },
  )
}
