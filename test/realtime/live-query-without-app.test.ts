import { beforeEach, describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

/* The Java client without push login: it logs in with only the subscriber's id, waits for the response, and subscribes
   afterwards (protocol/realtime, Sequence; protocol/realtime, Socket commands). */

const app = await makeApp()
let count = 0
let me = ''
let className = ''

beforeEach(() => {
  me = `0123456789abcdef${String(++count).padStart(16, '0')}`
  className = `Class${count}`
})

const isData = ({ cmd }: GenericCommand) => cmd === 'data'
const login = (installationId = me): GenericCommand => ({ cmd: 'login', service: 1, installationId, clientTs: 1 })

async function logIn(connection: RawConnection, installationId = me): Promise<void> {
  const answer = await connection.request(login(installationId))
  expect(answer).toEqual({ cmd: 'loggedin', i: answer.i, service: 1, installationId })
}

async function subscribe(id = me): Promise<void> {
  const { status } = await app.request('POST', '/1.1/LiveQuery/subscribe', { body: { id, query: { className } } })
  expect(status).toBe(200)
}

const save = async (fields: object): Promise<string> =>
  (await app.request('POST', `/1.1/classes/${className}`, { body: fields })).body.objectId

/** Saves an object and waits until the connection receives its event. */
async function hearsOf(connection: RawConnection, fields: object = {}): Promise<GenericCommand> {
  const objectId = await save(fields)
  return connection.take((command) => isData(command) && command.dataMessage!.msg![0]!.data.includes(objectId))
}

const places = async (id = me) =>
  (await app.sql('SELECT app_id FROM homeport.live_subscribers WHERE id = $1', [id])).rows.map((row) => row.app_id)

it('a client that logs in before it subscribes gets events from then on', async () => {
  const connection = await connect(app)
  await logIn(connection)
  await subscribe()
  expect(await hearsOf(connection, { n: 1 })).toMatchObject({ service: 1, installationId: me })
})

it('a client that subscribed before is found, and misses nothing after its response', async () => {
  const first = await connect(app)
  await logIn(first)
  await subscribe()
  first.drop()
  const again = await connect(app)
  await logIn(again)
  // Writes after the response are not missed.
  await hearsOf(again)
})

it('later subscriptions with the app continue beside it', async () => {
  const connection = await connect(app)
  await logIn(connection)
  expect(await connection.open('tom')).toMatchObject({ op: 'opened' })
  await subscribe()
  await hearsOf(connection)
  expect(
    await connection.request({ cmd: 'session', op: 'query', sessionMessage: { sessionPeerIds: ['tom'] } }),
  ).toMatchObject({ sessionMessage: { onlineSessionPeerIds: ['tom'] } })
})

it('the connection belongs only to the app that was found', async () => {
  const connection = await connect(app)
  await logIn(connection)
  await subscribe()
  const foreign = await connection.request({ cmd: 'session', op: 'open', appId: 'another', peerId: 'tom' })
  expect(foreign).toMatchObject({ cmd: 'error', errorMessage: { code: 4100 } })
  expect(await connection.open('tom')).toMatchObject({ op: 'opened' })
})

it('a repeated login on the same connection changes nothing', async () => {
  const connection = await connect(app)
  await logIn(connection)
  await logIn(connection)
  await subscribe()
  await hearsOf(connection)
  await hearsOf(connection)
  expect(connection.received.filter(isData)).toHaveLength(2)
})

it('of two connections the one with the last login gets the events', async () => {
  const [old, fresh] = [await connect(app), await connect(app)]
  await logIn(old)
  await logIn(fresh)
  await subscribe()
  await hearsOf(fresh)
  expect(old.received.filter(isData)).toEqual([])
})

it('a logged out client waits no longer', async () => {
  const [connection, witness] = [await connect(app), await connect(app)]
  await logIn(connection)
  const logout = await connection.request({ cmd: 'logout', service: 1, installationId: me })
  expect(logout).toMatchObject({ cmd: 'loggedout', service: 1, installationId: me })
  await subscribe()
  await logIn(witness, `${me} too`)
  await subscribe(`${me} too`)
  await hearsOf(witness)
  expect(connection.received.filter(isData)).toEqual([])
})

describe('an unrelated client', () => {
  it('gets the same response for existing and unknown ids', async () => {
    const owner = await connect(app)
    await logIn(owner)
    await subscribe()
    const stranger = await connect(app)
    const answers = []
    for (const id of [me, `${me} made up`]) answers.push(await stranger.request(login(id)))
    expect(answers.map(({ i, installationId, ...rest }) => rest)).toEqual([
      { cmd: 'loggedin', service: 1 },
      { cmd: 'loggedin', service: 1 },
    ])
  })

  it('can try only few ids per connection', async () => {
    const connection = await connect(app)
    for (let n = 0; n < 10; n++) await logIn(connection, `${me} ${n}`)
    const answer = await connection.request(login(`${me} one more`))
    expect(answer).toMatchObject({ cmd: 'error', service: 1, errorMessage: { code: 4103, reason: 'INVALID_LOGIN' } })
    await logIn(connection, `${me} 0`)
  })

  it.each([undefined, '', 'x'.repeat(129), 'a\u0000'])('with the id %j is rejected', async (installationId) => {
    const connection = await connect(app)
    const answer = await connection.request({
      cmd: 'login',
      service: 1,
      ...(installationId !== undefined && { installationId }),
    })
    expect(answer).toMatchObject({ cmd: 'error', service: 1, errorMessage: { code: 4103, reason: 'INVALID_LOGIN' } })
    expect(await connection.open('tom')).toMatchObject({ op: 'opened' })
  })
})

it('the app of a subscriber is stored as long as the subscriber', async () => {
  const connection = await connect(app)
  await logIn(connection)
  expect(await places()).toEqual([])
  await subscribe()
  expect(await places()).toEqual([app.appId])
  await connection.request({ cmd: 'logout', service: 1, installationId: me })
  await expect.poll(() => places()).toEqual([])
})
