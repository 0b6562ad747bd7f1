import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0
let me = ''
let className = ''
let user = { id: '', session: '' }

beforeEach(async () => {
  me = `subscriber ${++count}`
  className = `Class${count}`
  user = await app.makeUser(`user ${count}`)
})

const isData = ({ cmd }: GenericCommand) => cmd === 'data'

async function logIn(connection: RawConnection, appId: string | undefined = app.appId, id = me): Promise<void> {
  const login: GenericCommand = { cmd: 'login', ...(appId && { appId }), installationId: id, service: 1 }
  expect(await connection.request(login)).toMatchObject({ cmd: 'loggedin' })
}
/** @param appId an empty one is omitted from the login */
async function loggedIn(appId?: string, id = me): Promise<RawConnection> {
  const connection = await connect(app)
  await logIn(connection, appId, id)
  return connection
}
async function subscribe(session?: string, id = me): Promise<string> {
  const body = { id, query: { className } }
  const reply = await app.request('POST', '/1.1/LiveQuery/subscribe', { body, ...(session && { session }) })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.query_id
}
const save = (fields: object) => app.request('POST', `/1.1/classes/${className}`, { master: true, body: fields })
const secret = (n: number) => save({ n, ACL: { [user.id]: { read: true } } })

/** Returns the object numbers each connection has received once all earlier writes are notified. */
async function heard(...connections: RawConnection[]): Promise<number[][]> {
  const witness = await loggedIn(undefined, `witness ${me}`)
  await subscribe(undefined, `witness ${me}`)
  await save({ n: -1 })
  await witness.take(isData)
  // Responses follow earlier events.
  await Promise.all(
    connections.map((one) =>
      one.request({ cmd: 'login', appId: app.appId, installationId: `other ${me}`, service: 1 }),
    ),
  )
  return connections.map(({ received }) =>
    received
      .filter((command) => isData(command) && command.installationId === me)
      .flatMap(({ dataMessage }) => dataMessage!.msg!.map(({ data }) => JSON.parse(data).object.n))
      .filter((n) => n >= 0),
  )
}

describe('a client that knows a subscriber id', () => {
  it('and logs in later gets no event limited to that user', async () => {
    const victim = await loggedIn()
    await subscribe(user.session)
    await secret(1)
    const stranger = await loggedIn()
    await secret(2)
    expect(await heard(victim, stranger)).toEqual([[1], []])
  })

  it('and logs in earlier gets no such event either', async () => {
    const stranger = await loggedIn()
    const victim = await loggedIn()
    await subscribe(user.session)
    await secret(1)
    expect(await heard(victim, stranger)).toEqual([[1], []])
  })

  it('and logs in while the subscriber is away gets none', async () => {
    await subscribe(user.session)
    const stranger = await loggedIn()
    await secret(1)
    // Subscribing to the same query as another client reveals nothing either.
    await subscribe()
    await secret(2)
    expect(await heard(stranger)).toEqual([[]])
  })

  it('and waits without naming its app gets none', async () => {
    const stranger = await loggedIn('')
    const victim = await loggedIn()
    await subscribe(user.session)
    await secret(1)
    expect(await heard(victim, stranger)).toEqual([[1], []])
  })

  it('gets public events of an anonymous subscription', async () => {
    await subscribe()
    const stranger = await loggedIn()
    await save({ n: 1 })
    expect(await heard(stranger)).toEqual([[1]])
  })
})

describe('a client', () => {
  it('that lost its connection continues after it logs in and subscribes again with the same id', async () => {
    const before = await loggedIn()
    const id = await subscribe(user.session)
    before.drop()
    const again = await loggedIn()
    await secret(1)
    expect(await subscribe(user.session)).toBe(id)
    await secret(2)
    expect(await heard(again)).toEqual([[2]])
  })

  it('that logs in again on its connection continues', async () => {
    const connection = await loggedIn()
    await subscribe(user.session)
    await logIn(connection)
    await secret(1)
    expect(await heard(connection)).toEqual([[1]])
  })

  it('that does not name its app gets its events', async () => {
    const connection = await loggedIn('')
    await subscribe(user.session)
    await secret(1)
    expect(await heard(connection)).toEqual([[1]])
  })

  it("gains and loses events as its user's rights change, by nested roles and ACLs", async () => {
    const connection = await loggedIn()
    await subscribe(user.session)
    const member = (className: string, objectId: string) => [{ __type: 'Pointer', className, objectId }]
    const role = async (name: string) =>
      (await app.request('POST', '/1.1/roles', { master: true, body: { name, ACL: {} } })).body.objectId as string
    const [inner, outer] = [await role(`inner${count}`), await role(`outer${count}`)]
    const change = (id: string, body: object) => app.request('PUT', `/1.1/roles/${id}`, { master: true, body })
    await change(outer, { roles: { __op: 'AddRelation', objects: member('_Role', inner) } })
    const forRole = (n: number) => save({ n, ACL: { [`role:outer${count}`]: { read: true } } })
    // Permissions apply when an event is sent, so this event must arrive before they change.
    await forRole(1)
    await heard(connection)
    await change(inner, { users: { __op: 'AddRelation', objects: member('_User', user.id) } })
    await forRole(2)
    await heard(connection)
    await change(outer, { roles: { __op: 'RemoveRelation', objects: member('_Role', inner) } })
    const { body } = await forRole(3)
    const acl = (ACL: object) =>
      app.request('PUT', `/1.1/classes/${className}/${body.objectId}`, { master: true, body: { n: 4, ACL } })
    await acl({ [user.id]: { read: true } })
    await acl({})
    await app.request('PUT', `/1.1/classes/${className}/${body.objectId}`, { master: true, body: { text: 'unseen' } })
    // The last event reports the removal, without content.
    expect(await heard(connection)).toEqual([[2, 4]])
    const last = connection.received.filter(isData).at(-2)
    expect(JSON.parse(last!.dataMessage!.msg![0]!.data)).toMatchObject({
      op: 'leave',
      object: { objectId: body.objectId },
    })
    expect(JSON.stringify(connection.received)).not.toContain('unseen')
  })
})

describe('a subscription ends with its session', () => {
  const asUser = (method: string, path: string, body?: object, master = false) =>
    app.request(method, `/1.1/users/${user.id}${path}`, master ? { master, body } : { session: user.session, body })
  const name = () => `user ${count}`
  beforeAll(() => app.admin('PATCH', '/settings', { accounts: { reloginAfterPasswordChange: true } }))

  it.each<[string, () => Promise<{ status: number }>]>([
    ['when the token is replaced', () => asUser('PUT', '/refreshSessionToken')],
    [
      'when the password changes, where an app wants a new login then',
      () => asUser('PUT', '/updatePassword', { old_password: `password of ${name()}`, new_password: 'another' }),
    ],
    ['when an administrator revokes it', () => asUser('PUT', '/refreshSessionToken', undefined, true)],
    ['when the user deletes itself', () => asUser('DELETE', '')],
    ['when the user is deleted', () => asUser('DELETE', '', undefined, true)],
    [
      'when the user is deleted as an object',
      () => app.request('DELETE', `/1.1/classes/_User/${user.id}`, { master: true }),
    ],
  ])('%s', async (_, end) => {
    const connection = await loggedIn()
    await subscribe(user.session)
    await subscribe()
    await secret(1)
    expect((await end()).status).toBe(200)
    await secret(2)
    await save({ n: 3 })
    // The anonymous query continues; that of the user ends even for public objects.
    expect(await heard(connection)).toEqual([[1, 3]])
    const left = await app.sql('SELECT id FROM "$live_queries" WHERE user_id = $1', [user.id])
    expect(left.rowCount).toBe(0)
  })

  it('and restarts with the next one, under the same id', async () => {
    const connection = await loggedIn()
    const id = await subscribe(user.session)
    const { body } = await asUser('PUT', '/refreshSessionToken')
    expect(await subscribe(body.sessionToken)).toBe(id)
    await secret(1)
    expect(await heard(connection)).toEqual([[1]])
  })

  it('even when created at that very moment', async () => {
    let { session } = user
    for (let n = 0; n < 20; n++) {
      const [, refreshed] = await Promise.all([
        app.request('POST', '/1.1/LiveQuery/subscribe', {
          session,
          body: { id: me, query: { className, where: { n } } },
        }),
        app.request('PUT', `/1.1/users/${user.id}/refreshSessionToken`, { session }),
      ])
      session = refreshed.body.sessionToken
    }
    const left = await app.sql('SELECT id FROM "$live_queries" WHERE user_id = $1', [user.id])
    expect(left.rowCount).toBe(0)
  })
})
