import { describe, expect, it, onTestFinished } from 'vitest'
import { makeApp, type Reply } from '../../support/app.ts'
import { startEngine } from '../../support/engine-process.ts'
import { connectPhones } from '../../support/phones.ts'
import { requestsOf } from './client-requests.ts'

// LeanCloud's Go SDK after 0.1.0: what Client, Class, ObjectRef, Users, Files, Query and Run send, and what encoding.go
// demands of the answers. Of this source the proxy for Go modules has the first release alone, which runs in ../go.

const app = await makeApp()
const phones = await connectPhones(app)
const ID = expect.stringMatching(/^[0-9a-f]{24}$/)
/** time.Parse with RFC3339: `createdAt` and `updatedAt` are texts everywhere, never Date values. */
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ANY_TEXT = expect.any(String)

/** Client.getRequestOptions: the key as it is; the master key with its mark takes its place. */
const withKey = (key: string) =>
  requestsOf(
    app,
    () => ({ 'user-agent': 'LeanCloud-Golang-SDK/0.1.0 linux/go1.19.8', 'x-lc-id': app.appId, 'x-lc-key': key }),
    'application/json',
  )
const go = withKey(app.appKey)
const goMaster = withKey(`${app.masterKey},master`)

/** ServerResponseError: a number and a text, or the answer cannot be parsed. */
const refused = (code: number) => ({ body: { code, error: ANY_TEXT } })

/** decodeUser: without a text `sessionToken` every user is an error. */
function userIn({ status, body }: Reply) {
  expect([200, 201]).toContain(status)
  expect(body).toMatchObject({ objectId: ID, createdAt: TIME, sessionToken: ANY_TEXT })
  expect(body.updatedAt ?? body.createdAt).toEqual(TIME)
  return body as { objectId: string; sessionToken: string; [field: string]: unknown }
}

const signUp = async (username: string, email?: string) =>
  userIn(await go('POST', '/1.1/users', { body: { username, password: 'secret', ...(email && { email }) } }))

/** objectCreate: a text `objectId`; then objectGet, whose answer is an object. */
async function created(className: string, body: object) {
  const { body: made } = await go('POST', `/1.1/classes/${className}`, { body })
  expect(made).toMatchObject({ objectId: ID, createdAt: TIME })
  const path = `/1.1/classes/${className}/${made.objectId}`
  return { id: made.objectId as string, path, read: async () => (await go('GET', path)).body }
}

describe('users', () => {
  it('sign up by name or by address, log in by both, and become by the header', async () => {
    const mia = await signUp('mia')
    const logIn = (body: object) => go('POST', '/1.1/login', { body })
    expect(userIn(await logIn({ username: 'mia', password: 'secret' }))).toMatchObject({ ...mia, username: 'mia' })
    const leo = await signUp('leo@example.org', 'leo@example.org')
    const byAddress = userIn(await logIn({ email: 'leo@example.org', password: 'secret' }))
    expect(byAddress).toMatchObject({ objectId: leo.objectId, emailVerified: null, mobilePhoneVerified: false })
    expect(userIn(await go('GET', '/1.1/users/me', { session: mia.sessionToken })).objectId).toBe(mia.objectId)
    expect(await logIn({ username: 'mia', password: 'wrong' })).toMatchObject(refused(210))
    expect(await go('GET', '/1.1/users/me', { session: 'none' })).toMatchObject(refused(211))
  })

  it('sign up and log in with a number and a code, and get a new password by one', async () => {
    const mobilePhoneNumber = phones.newNumber()
    expect((await go('POST', '/1.1/requestSmsCode', { body: { mobilePhoneNumber } })).status).toBe(200)
    const body = { mobilePhoneNumber, smsCode: phones.codeOf(mobilePhoneNumber) }
    const made = userIn(await go('POST', '/1.1/usersByMobilePhone', { body }))
    await phones.wait(mobilePhoneNumber, 60)
    expect((await go('POST', '/1.1/requestLoginSmsCode', { body: { mobilePhoneNumber } })).status).toBe(200)
    const smsCode = phones.codeOf(mobilePhoneNumber)
    expect(userIn(await go('POST', '/1.1/login', { body: { mobilePhoneNumber, smsCode } }))).toMatchObject({
      objectId: made.objectId,
    })
    await phones.wait(mobilePhoneNumber, 60)
    const requested = await go('POST', '/1.1/requestPasswordResetBySmsCode', { body: { mobilePhoneNumber } })
    expect(requested.status).toBe(200)
    // Other clients PUT.
    const path = `/1.1/resetPasswordBySmsCode/${phones.codeOf(mobilePhoneNumber)}`
    expect((await go('POST', path, { body: { password: 'fresh', mobilePhoneNumber } })).status).toBe(200)
    userIn(await go('POST', '/1.1/login', { body: { mobilePhoneNumber, password: 'fresh' } }))
  })

  it('change themselves, and are found with the master key', async () => {
    const ann = await signUp('ann')
    const path = `/1.1/users/${ann.objectId}`
    expect((await go('PUT', path, { session: ann.sessionToken, body: { nickname: 'Ann' } })).status).toBe(200)
    expect(await go('PUT', path, { body: { nickname: 'Eve' } })).toMatchObject(refused(206))
    const { body } = await goMaster('GET', '/1.1/users', { query: { where: '{"nickname":"Ann"}', limit: '1' } })
    expect(body.results).toMatchObject([{ ...ann, nickname: 'Ann', createdAt: TIME, updatedAt: TIME }])
    // UserRef.Get: decodeUser again.
    expect(userIn(await goMaster('GET', path))).toMatchObject({ nickname: 'Ann', sessionToken: ann.sessionToken })
    expect((await go('DELETE', path, { session: ann.sessionToken })).body).toEqual({})
  })

  it('ask for mails', async () => {
    await signUp('zoe', 'zoe@example.org')
    const ask = (email: string) => go('POST', '/1.1/requestPasswordReset', { body: { email } })
    expect((await ask('zoe@example.org')).status).toBe(200)
    expect(await ask('nobody@example.org')).toMatchObject(refused(205))
  })
})

describe('objects', () => {
  it('keep values of every type', async () => {
    const page = await created('Page', { number: 1 })
    const values = {
      title: 'a "text" with <tags> & more',
      priority: 1,
      progress: 12.5,
      finishedAt: { __type: 'Date', iso: '2024-05-01T08:00:00.123Z' },
      place: { __type: 'GeoPoint', latitude: 31.385597, longitude: 120.980736 },
      data: { __type: 'Bytes', base64: 'SGVsbG8=' },
      page: { __type: 'Pointer', objectId: page.id, className: 'Page' },
      dates: [{ __type: 'Date', iso: '2024-05-01T08:00:00.000Z' }],
      nested: { Name: 'Adams', Age: 22, Tags: ['a', 'b'] },
    }
    const todo = await created('Todo', values)
    expect(await todo.read()).toMatchObject({ ...values, objectId: todo.id, createdAt: TIME, updatedAt: TIME })
  })

  it('are set, updated, changed by operations, and deleted', async () => {
    const todo = await created('Todo', { title: 'a', priority: 1, participants: ['mia'], gone: true })
    const changes = [
      { title: 'b' },
      { priority: { __op: 'Increment', amount: 4 }, participants: { __op: 'Add', objects: ['leo'] } },
      { participants: { __op: 'Remove', objects: ['mia'] }, gone: { __op: 'Delete' } },
    ]
    for (const body of changes) {
      expect((await go('PUT', todo.path, { body })).body).toMatchObject({ updatedAt: TIME })
    }
    const found = await todo.read()
    expect(found).toMatchObject({ title: 'b', priority: 5, participants: ['leo'] })
    expect(found).not.toHaveProperty('gone')
    expect((await go('DELETE', todo.path)).body).toEqual({})
    expect(await todo.read()).toEqual({})
  })
})

it('a record of a file that lies elsewhere says nothing of where', async () => {
  // UploadFromURL: encodeFile leaves the URL out.
  const metaData = { __source: 'external', owner: 'unknown' }
  const body = { __type: 'File', name: 'a.txt', mime_type: 'text/plain', metaData }
  const { body: made } = await go('POST', '/1.1/files', { body })
  expect(made).toMatchObject({ objectId: ID, createdAt: TIME })
  // encodeFile, embedded
  const note = await created('Note', { file: { __type: 'File', id: made.objectId } })
  expect((await note.read()).file).toMatchObject({ __type: 'File', objectId: made.objectId, name: 'a.txt' })
})

describe('queries', async () => {
  const stages = []
  for (const name of ['first', 'second']) stages.push(await created('Stage', { name }))
  const [first, second] = stages.map(({ id }) => ({ __type: 'Pointer', objectId: id, className: 'Stage' }))
  const when = (day: number) => ({ __type: 'Date', iso: `2024-05-0${day}T00:00:00.000Z` })
  await created('Task', { n: 1, title: 'buy milk', stage: first, due: when(1), tags: ['a'] })
  await created('Task', { n: 2, title: 'buy Bread', stage: second, due: when(2), tags: ['a', 'b'] })
  await created('Task', { n: 3, title: 'sleep', stage: second, due: when(3), tags: [], last: true })

  const find = async (where: object, more: Record<string, string> = {}) => {
    const { status, body } = await go('GET', '/1.1/classes/Task', { query: { where: JSON.stringify(where), ...more } })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  it.each<[object, number[]]>([
    [{}, [1, 2, 3]],
    [{ n: { $gt: 1 } }, [2, 3]],
    [{ n: { $in: [1, 3] } }, [1, 3]],
    [{ due: { $lte: when(2) } }, [1, 2]],
    [{ due: when(3) }, [3]],
    [{ stage: second }, [2, 3]],
    [{ tags: { $all: ['a', 'b'] } }, [2]],
    [{ last: { $exists: false } }, [1, 2]],
    // Contains and StartsWith: the options are there, and empty.
    [{ title: { $regex: '^buy', $options: '' } }, [1, 2]],
    [{ title: { $regex: 'bread', $options: 'i' } }, [2]],
    [{ $or: [{ n: 1 }, { last: true }] }, [1, 3]],
    [{ $and: [{ n: { $lt: 3 } }, { tags: 'b' }] }, [2]],
    // formatQuery writes the numbers of an inner query as texts.
    [{ stage: { $inQuery: { where: { name: 'first' }, limit: '10', className: 'Stage' } } }, [1]],
    [{ stage: { $notInQuery: { where: { name: 'first' }, skip: '0', className: 'Stage' } } }, [2, 3]],
  ])('%j', async (where, expected) => {
    const { results } = await find(where, { order: 'n' })
    expect(results.map(({ n }: { n: number }) => n)).toEqual(expected)
  })

  it('have pages, an order, chosen keys and included pointers', async () => {
    const more = { skip: '1', limit: '1', order: '-n', include: 'stage', keys: 'n,stage' }
    const { results } = await find({}, more)
    // decodePointer: one with more than its id has createdAt.
    expect(results).toMatchObject([{ n: 2, stage: { objectId: second!.objectId, name: 'second', createdAt: TIME } }])
    expect(results[0]).not.toHaveProperty('title')
  })

  it('count, without a limit', async () => {
    expect((await find({ n: { $gt: 1 } }, { count: '1' })).count).toBe(2)
  })

  it('find roles', async () => {
    await goMaster('POST', '/1.1/roles', { body: { name: 'editors', ACL: { '*': { read: true } } } })
    const { body } = await go('GET', '/1.1/roles', { query: { where: '{"name":"editors"}' } })
    expect(body.results).toMatchObject([{ objectId: ID, name: 'editors', createdAt: TIME }])
  })
})

it('functions are called with parameters and a session', async () => {
  const code = `AV.Cloud.define('who', ({ params, currentUser }) =>
    params.greeting + ', ' + (currentUser ? currentUser.get('username') : 'nobody'))`
  await startEngine(app, code, onTestFinished)
  const tom = await signUp('tom')
  const run = (session?: string) =>
    go('POST', '/1.1/functions/who', { body: { greeting: 'Hello' }, ...(session && { session }) })
  expect((await run()).body).toEqual({ result: 'Hello, nobody' })
  expect((await run(tom.sessionToken)).body).toEqual({ result: 'Hello, tom' })
  expect(await go('POST', '/1.1/functions/absent', { body: {} })).toMatchObject(refused(1))
})
