import { once } from 'node:events'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0
let me = ''
let className = ''

beforeEach(() => {
  me = `subscriber ${++count}`
  className = `Class${count}`
})

const isData = ({ cmd }: GenericCommand) => cmd === 'data'

async function logIn(connection: RawConnection, installationId = me): Promise<void> {
  const answer = await connection.request({ cmd: 'login', appId: app.appId, installationId, service: 1 })
  expect(answer).toEqual({ cmd: 'loggedin', i: answer.i, service: 1, installationId })
}

async function subscribe(where: object = {}, id = me): Promise<string> {
  const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', { body: { id, query: { className, where } } })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.query_id
}

const save = async (fields: object): Promise<string> =>
  (await app.request('POST', `/1.1/classes/${className}`, { body: fields })).body.objectId

const stored = async (id = me) =>
  (await app.sql('SELECT id FROM "$live_queries" WHERE subscriber_id = $1', [id])).rowCount

it('an event is sent as a command of the service, without a number, one message with an id per query', async () => {
  const connection = await connect(app)
  await logIn(connection)
  const queries = [await subscribe(), await subscribe({ n: 1 })]
  const objectId = await save({ n: 1 })
  const { dataMessage, ...envelope } = await connection.take(isData)
  expect(envelope).toEqual({ cmd: 'data', service: 1, installationId: me })
  const events = dataMessage!.msg!.map(({ data }) => JSON.parse(data))
  expect(events.map((event) => event.query_id).sort()).toEqual(queries.sort())
  expect(new Set(dataMessage!.ids).size).toBe(2)
  for (const event of events) {
    expect(event).toMatchObject({ op: 'create', object: { objectId, className, n: 1, createdAt: expect.any(String) } })
    expect(event).not.toHaveProperty('updatedKeys')
  }
})

it('a JSON client gets events as objects', async () => {
  const socket = new WebSocket(app.url.replace('http', 'ws'), 'lc.json.3')
  onTestFinished(() => socket.terminate())
  const frames: Record<string, unknown>[] = []
  socket.on('message', (frame) => void frames.push(JSON.parse(String(frame))))
  await once(socket, 'open')
  socket.send(JSON.stringify({ cmd: 'login', appId: app.appId, installationId: me, clientTs: 1, service: 1, i: 1 }))
  await expect.poll(() => frames).toEqual([{ cmd: 'loggedin', i: 1, service: 1, installationId: me }])
  const query_id = await subscribe()
  const objectId = await save({ n: 1 })
  await app.request('PUT', `/1.1/classes/${className}/${objectId}`, { body: { n: 2 } })
  await expect.poll(() => frames).toHaveLength(3)
  expect(frames[2]).toEqual({
    cmd: 'data',
    service: 1,
    installationId: me,
    ids: [expect.any(String)],
    msg: [{ query_id, op: 'update', object: expect.objectContaining({ className, n: 2 }), updatedKeys: ['n'] }],
  })
  socket.send('{}')
  await expect.poll(() => frames.at(-1)).toEqual({})
})

it('several subscribers share a connection', async () => {
  const connection = await connect(app)
  await logIn(connection)
  await logIn(connection, `${me} too`)
  await subscribe({ n: 1 })
  await subscribe({ n: 2 }, `${me} too`)
  await save({ n: 1 })
  await save({ n: 2 })
  const installationIds = [await connection.take(isData), await connection.take(isData)].map(
    (data) => data.installationId,
  )
  expect(installationIds).toEqual([me, `${me} too`])
})

it('a login replaces the previous one, whose logout then has no effect', async () => {
  const [old, fresh] = [await connect(app), await connect(app)]
  await logIn(old)
  await subscribe()
  await logIn(fresh)
  const logout: GenericCommand = { cmd: 'logout', installationId: me, service: 1 }
  expect(await old.request(logout)).toMatchObject({ cmd: 'loggedout', service: 1, installationId: me })
  await save({ n: 1 })
  await fresh.take(isData)
  expect(old.received.filter(isData)).toEqual([])
  expect(await stored()).toBe(1)
  await fresh.request(logout)
  expect(await stored()).toBe(0)
})

it('a second login on the same connection changes nothing', async () => {
  const connection = await connect(app)
  await logIn(connection)
  await subscribe()
  await logIn(connection)
  await save({ n: 1 })
  await connection.take(isData)
  await save({ n: 2 })
  await connection.take(isData)
  expect(connection.received.filter(isData)).toHaveLength(2)
})

it('does not repeat events, neither unacknowledged ones nor after an absence', async () => {
  const [connection, witness] = [await connect(app), await connect(app)]
  await logIn(connection)
  await subscribe()
  await logIn(witness, `${me} too`)
  await subscribe({}, `${me} too`)
  await save({ n: 1 })
  await Promise.all([connection.take(isData), witness.take(isData)])
  connection.drop()
  await save({ n: 2 })
  // Events are sent concurrently with the response; by now all subscribers have received it.
  await witness.take(isData)
  const again = await connect(app)
  await logIn(again)
  const last = await save({ n: 3 })
  const { dataMessage } = await again.take(isData)
  expect(JSON.parse(dataMessage!.msg![0]!.data).object.objectId).toBe(last)
})

it('rejects a login without an id or with an invalid one, and keeps the connection', async () => {
  const connection = await connect(app)
  for (const installationId of [undefined, '', 'x'.repeat(129), 'a\u0000'])
    expect(
      await connection.request({
        cmd: 'login',
        appId: app.appId,
        service: 1,
        ...(installationId !== undefined && { installationId }),
      }),
    ).toMatchObject({ cmd: 'error', service: 1, errorMessage: { code: 4103, reason: 'INVALID_LOGIN' } })
  await logIn(connection)
})

it('a connection logs in at most a hundred subscribers', async () => {
  const connection = await connect(app)
  for (let n = 0; n < 100; n++) await logIn(connection, `${me} ${n}`)
  const answer = await connection.request({ cmd: 'login', installationId: me, service: 1 })
  expect(answer).toMatchObject({ cmd: 'error', errorMessage: { code: 4103 } })
  await logIn(connection, `${me} 0`)
})

it('a login alone writes nothing to the database', async () => {
  const connection = await connect(app)
  await logIn(connection)
  expect((await app.sql('SELECT id FROM "$live_subscribers" WHERE id = $1', [me])).rowCount).toBe(0)
})
