import AV from 'leancloud-storage'
import { describe, expect, it } from 'vitest'
import { makeApp, type Reply, type TestApp } from '../support/app.ts'
import { initSdk } from '../support/sdk.ts'

/** Creates an app with these limits. */
async function limited(limits: object): Promise<TestApp> {
  const app = await makeApp()
  const { status } = await app.admin('PATCH', '/settings', { limits })
  expect(status).toBe(200)
  return app
}

/** Sends requests as clients behind a proxy on this machine. */
const from = (address: string, app: TestApp, session?: string) => {
  const headers = { 'x-forwarded-for': address }
  return (method: string, path: string, body?: unknown) =>
    app.request(method, path, { body, headers, ...(session && { session }) })
}

const atOnce = (count: number, work: (n: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))
const withStatus = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status)

const KINDS = ['reads', 'queries', 'writes', 'functions', 'pushes', 'logins', 'subscriptions'] as const

const tooMany = (text: string) => ({ code: 429, error: `Too many requests. The limit is ${text}.` })

describe('requests', () => {
  it('from one address are limited, also a hundred at once, and other addresses are not affected', async () => {
    const app = await limited({ requests: { address: { hour: 20 } } })
    const replies = await atOnce(100, () => from('192.0.2.1', app)('GET', '/1.1/users/me'))
    const refused = withStatus(replies, 429)
    expect(refused).toHaveLength(80)
    for (const { body, headers } of refused) {
      expect(body).toEqual(tooMany('20 requests from one address in an hour'))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    }
    expect((await from('192.0.2.2', app)('GET', '/1.1/classes/Post')).status).not.toBe(429)
  })

  it('addresses of one IPv6 network count as one', async () => {
    const app = await limited({ requests: { address: { hour: 5 } } })
    const replies = await atOnce(10, (n) => from(`2001:db8:0:1::${n}`, app)('GET', '/1.1/users/me'))
    expect(withStatus(replies, 429)).toHaveLength(5)
    expect((await from('2001:db8:0:2::1', app)('GET', '/1.1/users/me')).status).not.toBe(429)
  })

  it('of a user are counted across addresses, and those of the app across all callers', async () => {
    const app = await limited({ requests: { user: { hour: 5 }, app: { hour: 30 } } })
    const { session } = await app.makeUser('ann')
    const ofUser = await atOnce(10, (n) => from(`192.0.2.${n}`, app, session)('GET', '/1.1/users/me'))
    expect(withStatus(ofUser, 200)).toHaveLength(5)
    expect(withStatus(ofUser, 429)[0]!.body).toEqual(tooMany('5 requests by one user in an hour'))
    const ofAll = await atOnce(40, (n) => from(`192.0.2.${n}`, app)('GET', '/1.1/users/me'))
    expect(withStatus(ofAll, 429)).toHaveLength(40 - (30 - 11))
  })

  it('with the master key are not limited unless configured', async () => {
    const app = await limited({ requests: { app: { hour: 1 } } })
    const ask = () => app.request('GET', '/1.1/schemas', { master: true })
    expect(withStatus(await atOnce(20, ask), 200)).toHaveLength(20)
    await app.admin('PATCH', '/settings', { limits: { master: { hour: 10 } } })
    const replies = await atOnce(20, ask)
    expect(withStatus(replies, 200)).toHaveLength(10)
    expect(withStatus(replies, 429)[0]!.body).toEqual(tooMany('10 requests with the master key in an hour'))
  })

  it('inside a text/plain body are counted like others', async () => {
    const app = await limited({ requests: { address: { hour: 3 } } })
    const body = { _method: 'GET', _ApplicationId: app.appId, _ApplicationKey: app.appKey }
    const ask = () =>
      fetch(`${app.url}/1.1/users/me`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: JSON.stringify(body),
      }).then((response) => response.status)
    const statuses = await Promise.all(Array.from({ length: 8 }, ask))
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })
})

describe('rate classes', async () => {
  const once = { address: { hour: 1 } }
  const app = await limited(Object.fromEntries(KINDS.map((kind) => [kind, once])))
  let address = 0

  it.each([
    ['reads', 'GET', '/1.1/classes/Post/000000000000000000000001'],
    ['queries', 'GET', '/1.1/classes/Post'],
    ['queries', 'GET', '/1.1/users'],
    ['queries', 'GET', '/1.1/cloudQuery?cql=select%20*%20from%20Post'],
    ['writes', 'POST', '/1.1/classes/Post'],
    ['writes', 'PUT', '/1.1/classes/Post/000000000000000000000001'],
    ['writes', 'DELETE', '/1.1/classes/Post/000000000000000000000001'],
    ['functions', 'POST', '/1.1/functions/hello'],
    ['functions', 'POST', '/1.1/call/hello'],
    ['pushes', 'POST', '/1.1/push'],
    ['logins', 'POST', '/1.1/login'],
    ['logins', 'POST', '/1.1/usersByMobilePhone'],
    ['logins', 'POST', '/1.1/verifySmsCode/123456'],
    ['logins', 'PUT', '/1.1/users/000000000000000000000001/updatePassword'],
    ['subscriptions', 'POST', '/1.1/LiveQuery/subscribe'],
  ])('%s: %s %s, and no other', async (kind, method, path) => {
    const ask = from(`192.0.2.${address++}`, app)
    const body = method === 'GET' ? undefined : {}
    expect((await ask(method, path, body)).status).not.toBe(429)
    expect(await ask(method, path, body)).toMatchObject({ status: 429, body: { code: 429 } })
    expect((await ask('GET', '/1.1/roles')).status === 429).toBe(kind === 'queries')
    expect((await ask('POST', '/1.1/functions/hello', {})).status === 429).toBe(kind === 'functions')
  })

  it('counts each item of a batch; items beyond the limit get an error', async () => {
    const app = await limited({ writes: { address: { hour: 10 } } })
    const create = (className: string) => ({ method: 'POST', path: `/1.1/classes/${className}`, body: { n: 1 } })
    // Creates of one class are written together; alternating classes are not.
    const requests = [...Array(6).fill(create('Post')), create('Other'), create('Post'), create('Other')]
    const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
    expect(body.filter((item: object) => 'success' in item)).toHaveLength(9)
    const next = await app.request('POST', '/1.1/batch', { body: { requests: requests.slice(6) } })
    expect(next.body).toMatchObject([{ success: {} }, { error: { code: 429 } }, { error: { code: 429 } }])
  })
})

describe('new classes and fields', () => {
  it('limits classes created by clients per hour, also concurrently; existing classes are not counted', async () => {
    const app = await limited({ newClasses: { address: { hour: 5 } } })
    const create = (n: number) => app.request('POST', `/1.1/classes/Made${n}`, { body: { n: 1 } })
    const replies = await atOnce(30, (n) => create(n % 15))
    expect(withStatus(replies, 201)).toHaveLength(10)
    const { body } = await app.request('GET', '/1.1/schemas', { master: true })
    const made = Object.keys(body).filter((name) => name.startsWith('Made'))
    expect(made).toHaveLength(5)
    expect((await app.request('POST', `/1.1/classes/${made[0]}`, { body: { n: 1 } })).status).toBe(201)
    expect((await app.request('POST', '/1.1/classes/ByMaster', { body: { n: 1 }, master: true })).status).toBe(201)
  })

  it('limits fields added by clients to a class per hour; concurrent first saves count each field once', async () => {
    const app = await limited({ newFields: { address: { hour: 6 } } })
    const add = (className: string, ...fields: string[]) =>
      app.request('POST', `/1.1/classes/${className}`, { body: Object.fromEntries(fields.map((name) => [name, 1])) })
    expect(withStatus(await atOnce(50, () => add('Post', 'a', 'b', 'c', 'd')), 201)).toHaveLength(50)
    expect((await add('Post', 'e', 'f', 'g')).body).toEqual(
      tooMany('6 new fields of a class from one address in an hour'),
    )
    expect((await add('Other', 'a', 'b')).status).toBe(201)
  })
})

describe('users and messages', () => {
  it('limits users created from one address', async () => {
    const app = await limited({ signUps: { address: { hour: 4 } } })
    const signUp = (n: number) =>
      from('192.0.2.1', app)('POST', '/1.1/users', { username: `user ${n}`, password: 'secret' })
    expect(withStatus(await atOnce(12, signUp), 201)).toHaveLength(4)
    const anonymous = { authData: { anonymous: { id: 'somebody' } } }
    expect((await from('192.0.2.1', app)('POST', '/1.1/users', anonymous)).status).toBe(429)
    expect((await from('192.0.2.2', app)('POST', '/1.1/users', anonymous)).status).toBe(201)
    // An existing user logs in, so no user is created.
    expect((await from('192.0.2.1', app)('POST', '/1.1/users', anonymous)).status).toBe(200)
  })

  it('limits mails sent for one address, on every path', async () => {
    const app = await limited({ mails: { address: { hour: 3 } } })
    await app.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
    const ask = from('192.0.2.1', app)
    const email = 'somebody@example.org'
    expect((await ask('POST', '/1.1/users', { username: 'somebody', password: 'secret', email })).status).toBe(201)
    expect((await ask('POST', '/1.1/requestEmailVerify', { email })).status).toBe(200)
    expect((await ask('POST', '/1.1/requestPasswordReset', { email })).status).toBe(200)
    expect((await ask('POST', '/1.1/requestPasswordReset', { email })).status).toBe(429)
    const another = { username: 'another', password: 'secret', email: 'another@example.org' }
    expect((await ask('POST', '/1.1/users', another)).status).toBe(429)
    expect((await from('192.0.2.2', app)('POST', '/1.1/users', another)).status).toBe(201)
  })

  it('limits text messages sent for one address, whatever the numbers', async () => {
    const app = await limited({ codes: { address: { hour: 3 } } })
    const replies = await atOnce(9, (n) =>
      from('192.0.2.1', app)('POST', '/1.1/requestSmsCode', { mobilePhoneNumber: `1380000000${n}` }),
    )
    expect(withStatus(replies, 200)).toHaveLength(3)
    expect(withStatus(replies, 429)).toHaveLength(6)
  })

  it('limits live queries per client', async () => {
    const app = await limited({ subscriptionsOfClient: 5 })
    const subscribe = (n: number, id = 'one') =>
      app.request('POST', '/1.1/LiveQuery/subscribe', { body: { id, query: { className: 'Post', where: { n } } } })
    expect(withStatus(await atOnce(20, subscribe), 200)).toHaveLength(5)
    expect(await subscribe(100)).toMatchObject({ status: 400, body: { code: 154 } })
    expect((await subscribe(100, 'another')).status).toBe(200)
  })
})

describe('settings', () => {
  it('are shown with all defaults; 0 means no limit, null restores the default', async () => {
    const app = await makeApp()
    const limits = async () => (await app.admin('GET', '/settings')).body.limits
    expect(await limits()).toMatchObject({
      requests: { app: { second: 0, hour: 0 }, user: { second: 0, hour: 0 }, address: { second: 3000, hour: 0 } },
      newClasses: { address: { hour: 500 } },
      master: { second: 0, hour: 0 },
      pictureMegapixels: { address: { hour: 200_000 } },
      picturesOfFile: 500,
      sessionsOfConnection: 500,
    })
    const set = (hour: number | null) =>
      app.admin('PATCH', '/settings', { limits: { newClasses: { address: { hour } } } })
    await set(0)
    expect((await limits()).newClasses.address.hour).toBe(0)
    await set(null)
    expect((await limits()).newClasses.address.hour).toBe(500)
    expect(await set(-1)).toMatchObject({
      status: 400,
      body: { code: 1, error: expect.stringContaining('limits.newClasses.address.hour') },
    })
  })

  it('apply at once; a changed limit restarts its count', async () => {
    const app = await limited({ queries: { address: { hour: 1 } } })
    const ask = async () => (await app.request('GET', '/1.1/roles')).status
    expect([await ask(), await ask()]).toEqual([200, 429])
    await app.admin('PATCH', '/settings', { limits: { queries: { address: { hour: 2 } } } })
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  })
})

it('the official client fails with the code, text and status', async () => {
  const app = await limited({ queries: { address: { hour: 1 } } })
  await initSdk({ appId: app.appId, appKey: app.appKey, url: app.url })
  await new AV.Object('Post').save()
  expect(await new AV.Query('Post').find()).toHaveLength(1)
  await expect(new AV.Query('Post').find()).rejects.toMatchObject({
    code: 429,
    rawMessage: 'Too many requests. The limit is 1 queries from one address in an hour.',
    message: expect.stringContaining('[429 GET'),
  })
})
