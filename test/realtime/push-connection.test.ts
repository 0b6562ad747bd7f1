import { once } from 'node:events'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0
let phone = ''

beforeEach(() => {
  phone = `phone ${++count}`
})

const isData = ({ cmd }: GenericCommand) => cmd === 'data'
const isLoggedIn = ({ cmd }: GenericCommand) => cmd === 'loggedin'

/** Logs in as the official Android client does, without a number. */
async function logIn(installationId = phone): Promise<RawConnection> {
  const connection = await connect(app)
  connection.send({ cmd: 'login', appId: app.appId, installationId })
  await connection.take(isLoggedIn)
  return connection
}

/** Opens a JSON connection. */
async function connectWithJson() {
  const socket = new WebSocket(app.url.replace('http', 'ws'), 'lc.json.3')
  onTestFinished(() => socket.terminate())
  const frames: Record<string, unknown>[] = []
  socket.on('message', (frame) => void frames.push(JSON.parse(String(frame))))
  await once(socket, 'open')
  return { socket, frames }
}

/** @returns the id of the push */
async function push(data: object, installationIds = [phone], more: object = {}): Promise<string> {
  const body = { device_type: 'android', device_ids: installationIds, data, ...more }
  const reply = await app.request('POST', '/1.1/push/devices', { master: true, body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.objectId
}

const acknowledge = (connection: RawConnection, ids: readonly string[], installationId = phone) =>
  connection.send({ cmd: 'ack', installationId, ackMessage: { ids } })

/**
 * Counts the pending pushes of a device. Commands of a connection are processed in order; acknowledgments are stored slightly
 * later.
 */
const pending = async (installationId = phone) =>
  (await app.sql('SELECT content_id FROM "$push_messages" WHERE installation_id = $1', [installationId])).rowCount
const stored = (wanted: number, installationId = phone) => expect.poll(() => pending(installationId)).toBe(wanted)

const recordOf = async (id: string) =>
  (await app.sql('SELECT successes, devices, status FROM "$push_records" WHERE notification_id = $1', [id])).rows[0]

/** Stores messages for the device, as if they had been pushed earlier. */
async function keep(number: number): Promise<string[]> {
  const ids = Array.from({ length: number }, (_, index) => `${phone} ${String(index).padStart(5, '0')}`)
  await app.sql(
    `WITH content AS (
       INSERT INTO "$push_contents" (id, push_id, content, expires_at)
       SELECT id, id, '{"alert":"kept"}', now() + interval '1 hour' FROM unnest($2::text[]) AS id)
     INSERT INTO "$push_messages" (installation_id, content_id) SELECT $1, id FROM unnest($2::text[]) AS id`,
    [phone, ids],
  )
  return ids
}

describe('a login', () => {
  it('without a number gets a response without one, marked as a device login', async () => {
    const connection = await connect(app)
    connection.send({ cmd: 'login', appId: app.appId, installationId: phone })
    expect(await connection.take(isLoggedIn)).toEqual({ cmd: 'loggedin', service: 0, installationId: phone })
  })

  it('with a number gets it back', async () => {
    const connection = await connect(app)
    const login = { cmd: 'login', appId: app.appId, installationId: phone, i: -65_535 } as const
    expect(await connection.request(login)).toMatchObject({ cmd: 'loggedin', service: 0, i: -65_535 })
  })

  it('coexists with sessions and live queries, which need not name the app', async () => {
    const connection = await logIn()
    await connection.open('tom')
    const live = { cmd: 'login', service: 1, installationId: 'subscription' } as const
    expect(await connection.request(live)).toEqual({
      cmd: 'loggedin',
      i: 2,
      service: 1,
      installationId: 'subscription',
    })
    const id = await push({ alert: 'still here' })
    expect((await connection.take(isData)).dataMessage!.ids).toEqual([id])
  })

  it.each(['x'.repeat(129), 'a\u0000b'])('rejects the installation id %j', async (installationId) => {
    const connection = await connect(app)
    const answer = await connection.request({ cmd: 'login', appId: app.appId, installationId })
    expect(answer).toMatchObject({ cmd: 'error', errorMessage: { code: 4103, reason: 'INVALID_LOGIN' } })
  })

  it('rejects an installation id that is not a string', async () => {
    const { socket, frames } = await connectWithJson()
    socket.send(`{"cmd":"login","appId":"${app.appId}","installationId":"\\ud800","i":1}`)
    await expect.poll(() => frames).toMatchObject([{ cmd: 'error', i: 1, code: 4103 }])
  })

  it('of the same installation on the same connection only gets another response', async () => {
    const connection = await logIn()
    const ids = [await push({ alert: 'not acknowledged' })]
    await connection.take(isData)
    const again = { cmd: 'login', appId: app.appId, installationId: phone } as const
    expect(await connection.request(again)).toMatchObject({ cmd: 'loggedin', service: 0 })
    ids.push(await push({ alert: 'next' }))
    await connection.take(({ dataMessage }) => dataMessage?.ids?.includes(ids[1]!) === true)
    expect(connection.received.flatMap(({ dataMessage }) => dataMessage?.ids ?? [])).toEqual(ids)
  })

  it('of another installation replaces it', async () => {
    const connection = await logIn()
    await connection.request({ cmd: 'login', installationId: `${phone} new` })
    const id = await push({ alert: 'to the new one' }, [phone, `${phone} new`])
    expect((await connection.take(isData)).dataMessage!.ids).toEqual([id])
    await push({ alert: 'to nobody here' })
    const last = await push({ alert: 'to the new one' }, [`${phone} new`])
    expect((await connection.take(isData)).dataMessage!.ids).toEqual([last])
  })

  it('elsewhere closes the connection with a reason', async () => {
    const old = await logIn()
    const fresh = await logIn()
    const errorMessage = { code: 4101, reason: 'DUPLICATED_LOGIN' }
    const said = { cmd: 'error', service: 0, installationId: phone, errorMessage }
    expect(await old.take(({ cmd }) => cmd === 'error')).toEqual(said)
    expect(await old.closed).toEqual([4101, 'DUPLICATED_LOGIN'])
    const id = await push({ alert: 'to the later one' })
    expect((await fresh.take(isData)).dataMessage!.ids).toEqual([id])
  })

  it('elsewhere keeps a connection that messaging uses', async () => {
    const old = await logIn()
    await old.open(`tom of ${phone}`)
    const fresh = await logIn()
    await push({ alert: 'to the later one' })
    await fresh.take(isData)
    expect(await old.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
    expect(old.received.map(({ cmd }) => cmd)).toEqual(['loggedin', 'session', 'session'])
  })

  it('marks the installation valid, the first time', async () => {
    const fields = { installationId: phone, deviceType: 'android', valid: false }
    const { body } = await app.request('POST', '/1.1/classes/_Installation', { body: fields })
    const isValid = async () => (await app.request('GET', `/1.1/classes/_Installation/${body.objectId}`)).body.valid
    expect(await isValid()).toBe(false)
    await logIn()
    await expect.poll(isValid).toBe(true)
    await app.request('PUT', `/1.1/classes/_Installation/${body.objectId}`, { body: { valid: false } })
    const [id] = await keep(1)
    // Missed messages follow once the login is recorded.
    expect((await (await logIn()).take(isData)).dataMessage!.ids).toEqual([id])
    expect(await isValid()).toBe(false)
  })
})

describe('a push', () => {
  it('reaches a connected device, with the members added by the server', async () => {
    const connection = await logIn()
    const expiration_time = new Date(Date.now() + 3_600_000).toISOString()
    const id = await push({ alert: 'Lunch', custom: { deep: ['早'] } }, [phone], { expiration_time })
    const command = await connection.take(isData)
    const content = { alert: 'Lunch', custom: { deep: ['早'] }, _expiration_time: expiration_time }
    const dataMessage = { ids: [id], msg: [{ data: expect.any(String) }] }
    expect(command).toEqual({ cmd: 'data', service: 0, dataMessage })
    expect(JSON.parse(command.dataMessage!.msg![0]!.data)).toEqual(content)
  })

  it('is counted when acknowledged, once per device, and is not repeated', async () => {
    const [one, two] = [await logIn(`${phone} one`), await logIn(`${phone} two`)]
    const id = await push({ alert: 'Lunch' }, [`${phone} one`, `${phone} two`, `${phone} away`])
    await Promise.all([one.take(isData), two.take(isData)])
    acknowledge(one, [id], `${phone} one`)
    acknowledge(one, [id], `${phone} one`)
    acknowledge(two, [id], `${phone} two`)
    await expect
      .poll(() => recordOf(id))
      .toEqual({
        successes: { own: 2 },
        devices: '3',
        status: 'done',
      })
    const again = await logIn(`${phone} one`)
    const next = await push({ alert: 'next' }, [`${phone} one`])
    expect((await again.take(isData)).dataMessage!.ids).toEqual([next])
  })

  it('is kept when another device acknowledges it', async () => {
    const connection = await logIn()
    const id = await push({ alert: 'mine' })
    await connection.take(isData)
    const stranger = await logIn(`${phone} stranger`)
    acknowledge(stranger, [id])
    acknowledge(connection, [id], `${phone} stranger`)
    connection.send({ cmd: 'ack', service: 1, installationId: phone, ackMessage: { ids: [id] } })
    acknowledge(connection, ['\u0000'])
    const last = await push({ alert: 'last' })
    await connection.take(isData)
    acknowledge(connection, [last])
    await stored(1)
    expect((await (await logIn()).take(isData)).dataMessage!.ids).toEqual([id])
  })

  it('reaches JSON devices, with objects for texts', async () => {
    const { socket, frames } = await connectWithJson()
    socket.send(JSON.stringify({ cmd: 'login', appId: app.appId, installationId: phone, i: 1 }))
    await expect.poll(() => frames).toEqual([{ cmd: 'loggedin', i: 1, service: 0, installationId: phone }])
    const id = await push({ alert: 'Lunch' })
    await expect.poll(() => frames.length).toBe(2)
    const msg = [{ alert: 'Lunch', _expiration_time: expect.any(String) }]
    expect(frames[1]).toEqual({ cmd: 'data', service: 0, ids: [id], msg })
    socket.send(JSON.stringify({ cmd: 'ack', installationId: phone, ids: [id] }))
    await stored(0)
  })

  it('no longer reaches a logged out device', async () => {
    const connection = await logIn()
    expect(await connection.request({ cmd: 'logout', installationId: phone })).toMatchObject({ cmd: 'loggedout' })
    const id = await push({ alert: 'too late' })
    await stored(1)
    await connection.open(`tom of ${phone}`)
    expect(connection.received.filter(isData)).toEqual([])
    expect((await (await logIn()).take(isData)).dataMessage!.ids).toEqual([id])
  })
})

describe('a device that was away', () => {
  it('receives missed pushes in order after the response, and repeatedly until acknowledged', async () => {
    const ids = [await push({ alert: 'one' })]
    await stored(1)
    ids.push(await push({ alert: 'two' }))
    await stored(2)
    for (let time = 0; time < 2; time++) {
      const connection = await logIn()
      expect((await connection.take(isData)).dataMessage!.ids).toEqual(ids)
      expect(connection.received.map(({ cmd }) => cmd)).toEqual(['loggedin', 'data'])
      connection.drop()
    }
  })

  it('does not receive expired pushes', async () => {
    const old = await push({ alert: 'too late' })
    await stored(1)
    await app.sql(`UPDATE "$push_contents" SET expires_at = now() - interval '1 second' WHERE id = $1`, [old])
    const id = await push({ alert: 'in time' })
    await stored(2)
    expect((await (await logIn()).take(isData)).dataMessage!.ids).toEqual([id])
  })

  it('receives many pushes in pages, the next after all are acknowledged', async () => {
    const ids = await keep(230)
    const connection = await logIn()
    const told: string[] = []
    while (told.length < ids.length) {
      const { dataMessage } = await connection.take(isData)
      expect(dataMessage!.ids!.length).toBe(dataMessage!.msg!.length)
      expect(dataMessage!.ids!.length).toBeLessThanOrEqual(10)
      told.push(...dataMessage!.ids!)
      // No page is sent before the previous one has been acknowledged.
      expect(connection.received.filter(isData).length).toBeLessThanOrEqual(
        5 * (1 + Math.floor((told.length - 1) / 50)),
      )
      acknowledge(connection, dataMessage!.ids!)
    }
    expect(told).toEqual(ids)
    await stored(0)
  })
})
