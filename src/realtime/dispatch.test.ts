import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeMessaging } from '../../test/support/messaging.ts'
import { serveMessaging } from '../../test/support/messaging-server.ts'
import { connect } from '../../test/support/raw-connection.ts'
import { localDirectory } from '../bus/local-directory.ts'
import { sql } from '../database/sql.ts'
import { sendBroadcast } from '../messaging/messages/broadcasts.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { JsonObject } from '../values/json.ts'

const { hooks, conversation, database, anotherNode, ...first } = await makeMessaging()
/** All nodes share it, as in an installation. */
const directory = localDirectory()

afterEach(() => hooks.clear())

const node = await serveMessaging(first, database, directory)
const other = await serveMessaging(anotherNode(), database, directory)

/** Records the calls of a hook about clients, in order. */
function listen(hook: '_clientOnline' | '_clientOffline', clientIds: readonly string[]) {
  const inputs: JsonObject[] = []
  hooks.set(hook, (input) => {
    if (clientIds.includes(String(input.peerId))) inputs.push(input)
    return {}
  })
  return inputs
}

const isDirect = ({ cmd }: GenericCommand) => cmd === 'direct'

describe('the hooks of clients', () => {
  it('receive logins, with the address, and whether it is a reconnect', async () => {
    const online = listen('_clientOnline', ['tom', 'ann'])
    const connection = await connect(node)
    const { sessionMessage } = await connection.open('tom', { tag: 'phone', deviceId: 'one' })
    await connection.request({ cmd: 'session', op: 'close' })
    await connection.open('tom', { st: sessionMessage!.st, r: true })
    await connection.open('ann')
    const sourceIP = expect.stringContaining('127.0.0.1')
    expect(online).toEqual([
      { peerId: 'tom', sourceIP, tag: 'phone', reconnect: 0 },
      { peerId: 'tom', sourceIP, tag: 'phone', reconnect: 1 },
      { peerId: 'ann', sourceIP, tag: 'default', reconnect: 0 },
    ])
  })

  it('receive logouts, with the reason', async () => {
    const offline = listen('_clientOffline', ['closes', 'conflicts', 'kicked', 'lost'])
    const [connection, second] = [await connect(node), await connect(node)]
    await connection.open('closes')
    await connection.request({ cmd: 'session', op: 'close' })
    await connection.open('conflicts', { tag: 'phone', deviceId: 'one' })
    await second.open('conflicts', { tag: 'phone', deviceId: 'two' })
    await connection.open('kicked')
    node.messaging.presence.endSessions({ clientId: 'kicked', tag: null, except: null }, 4115, 'KICKED_BY_APP')
    await connection.open('lost')
    connection.drop()
    const sourceIP = expect.stringContaining('127.0.0.1')
    await expect.poll(() => offline).toHaveLength(4)
    expect(offline).toEqual([
      { peerId: 'closes', tag: 'default', closeCode: 1, closeMsg: '', sourceIP },
      { peerId: 'conflicts', tag: 'phone', closeCode: 3, closeMsg: 'SESSION_CONFLICT', sourceIP },
      { peerId: 'kicked', tag: 'default', closeCode: 4, closeMsg: 'KICKED_BY_APP', sourceIP },
      { peerId: 'lost', tag: 'default', closeCode: 2, closeMsg: '' },
    ])
  })

  it('receive the error of a connection', async () => {
    const offline = listen('_clientOffline', ['talks too much'])
    const connection = await connect(node)
    await connection.open('talks too much')
    connection.send({ cmd: 'direct', directMessage: { msg: 'x'.repeat(20_000) } })
    expect(await connection.closed).toEqual([4109, 'FRAME_TOO_LONG'])
    expect(offline).toMatchObject([{ closeCode: 2, errorCode: 4109, errorMsg: 'FRAME_TOO_LONG' }])
  })
})

describe('the hook of messages', () => {
  it('notifies the sender of its change, after the acknowledgement', async () => {
    const connection = await connect(node)
    await connection.open('writes')
    const cid = await conversation(['writes', 'reads'])
    hooks.set('_messageReceived', () => ({ content: 'nicer', code: 7, detail: 'too rude' }))
    const { ackMessage } = await connection.request({ cmd: 'direct', directMessage: { cid, msg: 'rude' } })
    const patch = await connection.take(({ cmd }) => cmd === 'patch')
    expect(patch).toEqual({
      cmd: 'patch',
      service: 2,
      op: 'modify',
      peerId: 'writes',
      patchMessage: {
        patches: [
          {
            cid,
            mid: ackMessage!.uid,
            timestamp: ackMessage!.t,
            patchTimestamp: ackMessage!.t! + 1,
            from: 'writes',
            recall: false,
            data: 'nicer',
            patchCode: 7,
            patchReason: 'too rude',
          },
        ],
      },
    })
    expect(connection.received.map(({ cmd }) => cmd)).toEqual(['session', 'ack', 'patch'])
  })

  it('passes its rejection to the sender', async () => {
    const connection = await connect(node)
    await connection.open('writes')
    const cid = await conversation(['writes', 'reads'])
    hooks.set('_messageReceived', () => ({ drop: true, code: 12, detail: 'not here' }))
    const { ackMessage } = await connection.request({ cmd: 'direct', directMessage: { cid, msg: 'x' } })
    expect(ackMessage).toEqual({ cid, code: 4402, reason: 'MESSAGE_REJECTED_BY_APP', appCode: 12, appMsg: 'not here' })
  })

  it('returns no details when it fails', async () => {
    const connection = await connect(node)
    await connection.open('writes')
    const cid = await conversation(['writes', 'reads'])
    hooks.set('_messageReceived', () => {
      throw new Error('a secret')
    })
    const answer = await connection.request({ cmd: 'direct', peerId: 'writes', directMessage: { cid, msg: 'x' } })
    expect(answer).toEqual({
      cmd: 'error',
      i: answer.i,
      peerId: 'writes',
      errorMessage: { code: 4200, reason: 'INTERNAL_ERROR' },
    })
  })
})

describe('concurrent messages', () => {
  it('are stored together', async () => {
    const connection = await connect(node)
    await connection.open('in a hurry')
    const cid = await conversation(['in a hurry'])
    const statements = vi.spyOn(database, 'execute')
    onTestFinished(() => statements.mockRestore())
    const send = () => connection.request({ cmd: 'direct', directMessage: { cid, msg: 'quick' } })
    await Promise.all(Array.from({ length: 100 }, send))
    expect(statements.mock.calls.length).toBeGreaterThan(0)
    expect(statements.mock.calls.length).toBeLessThan(50)
  })
})

describe('several nodes', () => {
  it('deliver to each other in order', async () => {
    const [here, there] = [await connect(node), await connect(other)]
    await here.open('here')
    await there.open('there')
    const cid = await conversation(['here', 'there'])
    const words = Array.from({ length: 30 }, (_, index) => `message ${index}`)
    for (const msg of words) here.send({ cmd: 'direct', i: 1, directMessage: { cid, msg } })
    await there.take(({ directMessage }) => directMessage?.msg === words.at(-1))
    expect(there.received.filter(isDirect).map(({ directMessage }) => directMessage!.msg)).toEqual(words)
  })

  it('let one session have a tag', async () => {
    const [here, there] = [await connect(node), await connect(other)]
    await here.open('wanders', { tag: 'phone', deviceId: 'one' })
    await there.open('wanders', { tag: 'phone', deviceId: 'two' })
    expect((await here.take(({ op }) => op === 'closed')).sessionMessage).toMatchObject({ code: 4111 })
    expect(await here.open('wanders', { tag: 'phone', deviceId: 'one', r: true })).toMatchObject({
      errorMessage: { code: 4111, reason: 'SESSION_CONFLICT' },
    })
  })

  it('end the sessions of a kicked client, but not the connection', async () => {
    const there = await connect(other)
    await there.open('kicked')
    await there.open('stays')
    node.messaging.presence.endSessions({ clientId: 'kicked', tag: null, except: null }, 4115, 'KICKED_BY_APP')
    expect(await there.take(({ op }) => op === 'closed')).toEqual({
      cmd: 'session',
      service: 2,
      op: 'closed',
      peerId: 'kicked',
      sessionMessage: { code: 4115, reason: 'KICKED_BY_APP' },
    })
    expect(await there.request({ cmd: 'session', op: 'query' })).toMatchObject({ peerId: 'stays' })
  })
})

describe('a broadcast to everyone', () => {
  it('is sent to a client at its first login only', async () => {
    const convId = await conversation([], { sys: true })
    const message = { convId, fromClient: 'app', content: 'welcome', bin: false, ip: null }
    const { id } = await sendBroadcast(node.messaging, message, { everyoneUntil: null })
    const connection = await connect(node)
    await connection.open('newcomer')
    const { directMessage } = await connection.take(isDirect)
    expect(directMessage).toMatchObject({ id, cid: convId, msg: 'welcome', convType: 3 })
    const again = await connect(node)
    await again.open('newcomer')
    await again.open('another newcomer')
    await again.take(({ cmd, peerId }) => cmd === 'direct' && peerId === 'another newcomer')
    expect(again.received.filter(isDirect)).toHaveLength(1)
  })
})

it('records a client on each day that it logs in', async () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const [connection, again] = [await connect(node), await connect(node)]
  const before = today()
  await connection.open('counted')
  await again.open('counted')
  const days = async () => {
    const { dailyClients } = node.messaging.tables
    const rows = await database.query(sql`SELECT day::text FROM ${dailyClients} WHERE client_id = 'counted'`)
    return rows.map(({ day }) => day)
  }
  await expect.poll(days).not.toEqual([])
  // It may have logged in around midnight.
  const noted = await days()
  expect([before, today()]).toEqual(expect.arrayContaining(noted))
  expect(new Set(noted).size).toBe(noted.length)
})

describe('a node that stops', () => {
  it('sends goaway to clients with the id of one, and sends no wills', async () => {
    const stopping = await serveMessaging(anotherNode(), database, directory)
    const [disconnected, witness] = [await connect(stopping), await connect(node)]
    await disconnected.open('gone')
    await witness.open('witness')
    const cid = await conversation(['gone', 'witness'])
    await disconnected.request({ cmd: 'direct', directMessage: { cid, msg: 'will', will: true } })
    stopping.dispatch.beginStop()
    await stopping.server.stop()
    await stopping.dispatch.stop()
    expect(await disconnected.take(({ cmd }) => cmd === 'goaway')).toEqual({ cmd: 'goaway', peerId: 'gone' })
    await witness.request({ cmd: 'direct', directMessage: { cid, msg: 'after' } })
    expect(witness.received.filter(({ directMessage }) => directMessage?.cid === cid)).toEqual([])
  })
})

describe('fairness between clients', () => {
  it('delays only clients of the same address by slow queries, and drops them when the client disconnects', async () => {
    const cid = await conversation(['greedy', 'modest', 'tom'])
    await first.send('tom', cid, 'unread')
    const greedy = await connect(node)
    const modest = await connect(node, undefined, '127.0.0.2')
    await greedy.open('greedy')
    await modest.open('modest')
    // Their logins no longer hold slots that others could need.
    for (const client of [greedy, modest]) await client.take(({ cmd }) => cmd === 'unread')
    const logs = { cmd: 'logs', logsMessage: { cid } } as const
    // While this lock is held, no history can be read.
    await database.transaction(async (transaction) => {
      await transaction.query(sql`LOCK TABLE ${node.messaging.tables.messages} IN ACCESS EXCLUSIVE MODE`)
      for (const i of [1, 2, 3]) greedy.send({ ...logs, i })
      await expect.poll(() => database.waiting).toBe(2)
      const where = { data: JSON.stringify({ objectId: cid }) }
      const answer = await modest.request({ cmd: 'conv', op: 'query', convMessage: { where } })
      expect(JSON.parse(answer.convMessage!.results!.data)).toMatchObject([{ objectId: cid }])
      greedy.drop()
      const blocked = sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE '%WHERE thread = %' AND wait_event_type = 'Lock'`
      const reading = async () => (await transaction.query(blocked)).length
      await expect.poll(reading, { timeout: 60_000 }).toBe(0)
    })
  })
})

describe('a deleted app', () => {
  it('closes its connections', async () => {
    const closing = await serveMessaging(anotherNode(), database, directory)
    const connection = await connect(closing)
    await connection.open('tom')
    closing.close()
    void connection.request({ cmd: 'session', op: 'query' })
    expect(await connection.closed).toEqual([4100, 'APP_NOT_AVAILABLE'])
  })
})
