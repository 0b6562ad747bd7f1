import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'

const app = await makeApp()
const LARGEST = Number.MAX_VALUE
const increment = (amount: number) => ({ __op: 'Increment', amount })

const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
  app.request(method, path, { master: true, ...(body !== undefined && { body }) })
const read = async (id: string) => (await send('GET', `/1.1/classes/Score/${id}`)).body
const make = async (body: object): Promise<string> => (await send('POST', '/1.1/classes/Score', body)).body.objectId

/** Returns the error codes of a response or of each item of a batch. */
const codesOf = ({ body }: Reply): (number | undefined)[] =>
  Array.isArray(body) ? body.map(({ error }) => error?.code) : [body.code]

describe('an operation beyond the range of numbers gets error 111 and changes nothing', () => {
  it.each<[what: string, before: object, change: (id: string) => Promise<Reply>]>([
    ['Increment', { n: LARGEST }, (id) => send('PUT', `/1.1/classes/Score/${id}`, { n: increment(LARGEST) })],
    [
      'Increment below it',
      { n: -LARGEST },
      (id) => send('PUT', `/1.1/classes/Score/${id}`, { n: increment(-LARGEST) }),
    ],
    [
      'Decrement',
      { n: -LARGEST },
      (id) => send('PUT', `/1.1/classes/Score/${id}`, { n: { __op: 'Decrement', amount: LARGEST } }),
    ],
    [
      'a dotted key',
      { o: { p: { n: LARGEST } } },
      (id) => send('PUT', `/1.1/classes/Score/${id}`, { 'o.p.n': increment(LARGEST) }),
    ],
    [
      'several operations on one field',
      { n: 1e308 },
      (id) =>
        send('PUT', `/1.1/classes/Score/${id}`, { n: { __op: 'Batch', ops: [increment(5e307), increment(5e307)] } }),
    ],
    [
      'an answer with the changed fields',
      { n: LARGEST },
      (id) => send('PUT', `/1.1/classes/Score/${id}?fetchWhenSave=true`, { n: increment(LARGEST) }),
    ],
    [
      'an integer of 309 digits',
      { n: 1 },
      (id) => send('PUT', `/1.1/classes/Score/${id}`, `{"n":{"__op":"Increment","amount":${'9'.repeat(309)}}}`),
    ],
    [
      'a batch',
      { n: LARGEST },
      (id) =>
        send('POST', '/1.1/batch', {
          requests: [{ method: 'PUT', path: `/1.1/classes/Score/${id}`, body: { n: increment(LARGEST) } }],
        }),
    ],
    [
      'CQL',
      { n: LARGEST },
      (id) =>
        app.request('GET', '/1.1/cloudQuery', {
          master: true,
          query: { cql: `update Score set n = op('Increment', {amount: 1.7e308}) where objectId = '${id}'` },
        }),
    ],
  ])('%s', async (_what, before, change) => {
    const id = await make(before)
    expect(codesOf(await change(id))).toEqual([111])
    expect(await read(id)).toMatchObject(before)
  })

  it('rejects concurrent increments one by one', async () => {
    const id = await make({ n: 1e308 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send('PUT', `/1.1/classes/Score/${id}`, { n: increment(5e307) })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 111)).toHaveLength(9)
    expect((await read(id)).n).toBe(1.5e308)
  })

  it('rejects increments of one batch from where they leave the range', async () => {
    const id = await make({ n: 0 })
    const requests = Array.from({ length: 3 }, () => ({
      method: 'PUT',
      path: `/1.1/classes/Score/${id}`,
      body: { n: increment(1e308) },
    }))
    expect(codesOf(await send('POST', '/1.1/batch', { requests }))).toEqual([undefined, 111, 111])
    expect((await read(id)).n).toBe(1e308)
  })

  it('a new object', async () => {
    const ops = [increment(1e308), increment(1e308)]
    expect(codesOf(await send('POST', '/1.1/classes/Score', { n: { __op: 'Batch', ops } }))).toEqual([111])
    for (const body of [`{"n":${'9'.repeat(309)}}`, '{"n":-1e309}', '{"o":{"a":[1e309]}}'])
      expect(codesOf(await send('POST', '/1.1/classes/Score', body))).toEqual([111])
  })
})

describe('rejects a numeric third-party id beyond 2^53 with error 250, because rounding could change it to another id', () => {
  const INEXACT = '9007199254740993'
  let users = 0
  const makeUser = () => app.makeUser(`user ${users++}`)
  const count = async () => (await app.sql('SELECT count(*)::int FROM "_User"')).rows[0].count

  it.each<[what: string, path: string, body: string]>([
    ['a login', '/1.1/users', `{"authData":{"github":{"uid":${INEXACT}}}}`],
    ['a negative one', '/1.1/users', `{"authData":{"github":{"uid":-${INEXACT}}}}`],
    ['one with a fraction and an exponent', '/1.1/users', '{"authData":{"github":{"uid":9.007199254740993e15}}}'],
    ['a fraction', '/1.1/users', '{"authData":{"github":{"uid":0.10000000000000001}}}'],
    ['an openid', '/1.1/users', `{"authData":{"weixin":{"openid":${INEXACT}}}}`],
    ['a uid beside an openid', '/1.1/users', `{"authData":{"weixin":{"openid":"o","uid":${INEXACT}}}}`],
    [
      'a unionid',
      '/1.1/users',
      `{"authData":{"weixin":{"openid":"o","unionid":${INEXACT},"platform":"weixin","main_account":true}}}`,
    ],
    ['an anonymous id', '/1.1/users', `{"authData":{"anonymous":{"id":${INEXACT}}}}`],
    ['a sign-up', '/1.1/users', `{"username":"new","password":"p","authData":{"github":{"uid":${INEXACT}}}}`],
    [
      'a sign-up by its class',
      '/1.1/classes/_User',
      `{"username":"n","password":"p","authData":{"github":{"uid":${INEXACT}}}}`,
    ],
    ['a login that creates nobody', '/1.1/users?failOnNotExist=true', `{"authData":{"github":{"uid":${INEXACT}}}}`],
  ])('%s', async (_what, path, body) => {
    const before = await count()
    expect((await app.request('POST', path, { body })).body).toMatchObject({ code: 250 })
    expect(await count()).toBe(before)
  })

  it.each([
    ['a link', (id: string) => [`/1.1/users/${id}`, `{"authData":{"github":{"uid":${INEXACT}}}}`]],
    ['a link by a dotted key', (id: string) => [`/1.1/users/${id}`, `{"authData.github":{"uid":${INEXACT}}}`]],
    ['a link by the class', (id: string) => [`/1.1/classes/_User/${id}`, `{"authData":{"github":{"uid":${INEXACT}}}}`]],
  ])('%s', async (_what, request) => {
    const { id, session } = await makeUser()
    const [path, body] = request(id)
    expect((await app.request('PUT', path!, { body, session })).body).toMatchObject({ code: 250 })
    expect((await app.request('GET', `/1.1/users/${id}`, { master: true })).body).not.toHaveProperty('authData')
  })

  it('accepts numbers up to 2^53 and any text as ids', async () => {
    for (const uid of ['9007199254740991', `"${INEXACT}"`, '5'])
      expect((await app.request('POST', '/1.1/users', { body: `{"authData":{"github":{"uid":${uid}}}}` })).status).toBe(
        201,
      )
  })
})
