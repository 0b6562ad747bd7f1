import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const MISSING = '0123456789abcdef01234567'

const batch = (requests: unknown, options: RequestOptions = {}) =>
  app.request('POST', '/1.1/batch', { body: { requests }, ...options })
const results = async (requests: object[], options: RequestOptions = {}) => {
  const reply = await batch(requests, options)
  expect(reply.status).toBe(200)
  expect(reply.body).toHaveLength(requests.length)
  return reply.body
}
const make = async (className: string, body: object): Promise<string> =>
  (await app.request('POST', `/1.1/classes/${className}`, { body })).body.objectId
const read = async (className: string, id: string) => (await app.request('GET', `/1.1/classes/${className}/${id}`)).body
const at = (className: string, id = '') => `/1.1/classes/${className}${id && `/${id}`}`
const ID = expect.stringMatching(/^[0-9a-f]{24}$/)
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const error = (code: number) => ({ error: { code, error: expect.any(String) } })

describe('a batch', () => {
  it('returns for each item the response it would get alone', async () => {
    const id = await make('Book', { n: 1 })
    const doomed = await make('Book', {})
    expect(
      await results([
        { method: 'POST', path: at('Book'), body: { n: 5 } },
        { method: 'PUT', path: at('Book', id), body: { n: 2 } },
        { method: 'DELETE', path: at('Book', doomed) },
        { method: 'GET', path: at('Book', id) },
        { method: 'GET', path: at('Book', MISSING) },
        { method: 'GET', path: '/1.1/classes/Book', params: { where: { n: 5 }, count: 1, keys: 'n' } },
      ]),
    ).toEqual([
      { success: { objectId: ID, createdAt: DATE } },
      { success: { objectId: id, updatedAt: DATE } },
      { success: {} },
      { success: { objectId: id, createdAt: DATE, updatedAt: DATE, n: 2 } },
      { success: null },
      { success: { results: [{ objectId: ID, createdAt: DATE, updatedAt: DATE, n: 5 }], count: 1 } },
    ])
  })

  it('runs its items in the order sent', async () => {
    const id = await make('Ordered', { log: [] })
    const add = (entry: number) => ({
      method: 'PUT',
      path: at('Ordered', id),
      body: { log: { __op: 'Add', objects: [entry] } },
    })
    const order = Array.from({ length: 30 }, (_, entry) => entry)
    await results(order.map(add))
    expect((await read('Ordered', id)).log).toEqual(order)
  })

  it('each item sees the effects of the previous ones', async () => {
    const query = { method: 'GET', path: at('Seen'), params: { limit: 0, count: 1 } }
    const create = { method: 'POST', path: at('Seen'), body: {} }
    const counts = (await results([create, query, create, create, query])).flatMap(
      (result: { success: { count?: number } }) => result.success.count ?? [],
    )
    expect(counts).toEqual([1, 3])
  })

  it('creates objects with increasing ids', async () => {
    const made = await results(Array.from({ length: 50 }, (_, n) => ({ method: 'POST', path: at('Row'), body: { n } })))
    const ids = made.map((result: { success: { objectId: string } }) => result.success.objectId)
    expect(ids.toSorted()).toEqual(ids)
    const { body } = await app.request('GET', at('Row'), { query: { order: 'objectId' } })
    expect(body.results.map((row: { n: number }) => row.n)).toEqual(Array.from({ length: 50 }, (_, n) => n))
  })

  it('continues after a failed item', async () => {
    await make('Isolated', { n: 1 })
    const create = (n: unknown) => ({ method: 'POST', path: at('Isolated'), body: { n } })
    expect(await results([create(2), create('text'), create(3), create({ __type: 'Pointer' }), create(4)])).toEqual([
      { success: { objectId: ID, createdAt: DATE } },
      error(111),
      { success: { objectId: ID, createdAt: DATE } },
      error(106),
      { success: { objectId: ID, createdAt: DATE } },
    ])
    const { body } = await app.request('GET', at('Isolated'), { query: { order: 'n' } })
    expect(body.results.map((row: { n: number }) => row.n)).toEqual([1, 2, 3, 4])
  })

  it('keeps the valid creates when a unique index rejects one', async () => {
    await make('Unique', { key: 'a' })
    await app.admin('PATCH', '/classes/Unique', { indexes: [{ fields: ['key'], unique: true }] })
    const create = (key: string) => ({ method: 'POST', path: at('Unique'), body: { key } })
    expect(await results([create('b'), create('a'), create('c'), create('c')])).toEqual([
      { success: { objectId: ID, createdAt: DATE } },
      error(137),
      { success: { objectId: ID, createdAt: DATE } },
      error(137),
    ])
    expect((await app.request('GET', at('Unique'))).body.results).toHaveLength(3)
  })

  it('returns the error of each failed item', async () => {
    const id = await make('Book', { n: 1 })
    const items: [item: unknown, code: number, text?: string][] = [
      [
        { method: 'PUT', path: at('Book', MISSING), body: { n: 1 } },
        1,
        `Could not find object by id '${MISSING}' for class 'Book'.`,
      ],
      [{ method: 'GET', path: at('NoSuchClass') }, 101],
      [{ method: 'GET', path: at('NoSuchClass', MISSING) }, 101],
      [{ method: 'POST', path: at('Book'), body: { 'a b': 1 } }, 105],
      [{ method: 'POST', path: at('bad-name'), body: {} }, 103],
      [{ method: 'POST', path: at('Book'), body: [1] }, 107],
      [{ method: 'PUT', path: at('Book', id), body: { n: 'x' } }, 111],
      [{ method: 'PUT', path: at('Book', id), body: { n: 5 }, params: { where: { n: 9 } } }, 305],
      [{ method: 'DELETE', path: at('Book', id), params: { where: { n: 9 } } }, 305],
      [{ method: 'GET', path: '/1.1/unknown' }, 1],
      [{ method: 'PATCH', path: at('Book', id) }, 1],
      [{ method: 'GET', path: 'https://example.com/' }, 1],
      [{ method: 'GET', path: '/1.1/date' }, 1],
      [{ method: 'GET', path: '/admin/apps' }, 1],
      [{ method: 'POST', path: '/1.1/batch', body: { requests: [] } }, 1],
      [{ method: 'GET' }, 1],
      [{ method: 5, path: at('Book') }, 1],
      ['text', 107],
      [null, 107],
      [{ method: 'GET', path: '/1.1/scan/classes/Book' }, 401],
    ]
    const found = await results(items.map(([item]) => item as object))
    items.forEach(([item, code, text], index) => {
      expect(found[index], JSON.stringify(item)).toEqual(error(code))
      if (text) expect(found[index].error.error).toBe(text)
    })
    expect((await read('Book', id)).n).toBe(1)
  })

  it('can be empty', async () => {
    expect(await results([])).toEqual([])
  })

  it('requires a list of requests: error 107', async () => {
    for (const requests of [undefined, null, {}, 'text']) {
      expect(await batch(requests)).toMatchObject({ status: 400, body: { code: 107 } })
    }
  })

  it('requires credentials', async () => {
    expect(await batch([], { headers: { 'x-lc-key': 'wrong' } })).toMatchObject({ status: 401, body: { code: 401 } })
  })

  it('accepts params as in a URL or as JSON values', async () => {
    for (const name of ['b', 'a', 'c']) await make('Parameters', { name, n: 1 })
    const path = at('Parameters')
    const where = { n: 1, name: { $ne: 'c' } }
    const found = await results([
      { method: 'GET', path, params: { where, order: '-name', limit: 1, skip: 1 } },
      { method: 'GET', path, params: { where: JSON.stringify(where), order: '-name', limit: '1', skip: '1' } },
      { method: 'GET', path: `${path}?where=${encodeURIComponent(JSON.stringify(where))}&order=-name&limit=1&skip=1` },
    ])
    for (const { success } of found) expect(success.results).toMatchObject([{ name: 'a' }])
  })

  it('updates and deletes under conditions in params', async () => {
    const id = await make('Book', { n: 1 })
    const [changed] = await results([
      { method: 'PUT', path: at('Book', id), body: { n: 2 }, params: { where: { n: 1 }, fetchWhenSave: true } },
    ])
    expect(changed.success).toEqual({ objectId: id, updatedAt: DATE, n: 2 })
    expect(await results([{ method: 'DELETE', path: at('Book', id), params: { where: '{"n":2}' } }])).toEqual([
      { success: {} },
    ])
    expect(await read('Book', id)).toEqual({})
  })

  it.each(['fetchWhenSave', 'new'])('creates with %s in params return the object', async (parameter) => {
    const create = { method: 'POST', path: at('Book'), body: { n: 7 }, params: { [parameter]: true } }
    const [made] = await results([create])
    expect(made.success).toEqual({ objectId: ID, createdAt: DATE, updatedAt: DATE, n: 7 })
  })

  it('deletes a list of ids', async () => {
    const ids = [await make('Book', {}), await make('Book', {})]
    expect(await results([{ method: 'DELETE', path: at('Book', ids.join(',')), body: {} }])).toEqual([{ success: {} }])
    for (const id of ids) expect(await read('Book', id)).toEqual({})
  })

  it('accepts lower-case methods, items without a method, the path /1/ and trailing slashes', async () => {
    const id = await make('Book', { n: 1 })
    const [created, gotten, old, slash] = await results([
      { method: 'post', path: at('Book'), body: {} },
      { path: at('Book', id) },
      { method: 'get', path: `/1/classes/Book/${id}` },
      { method: 'GET', path: `${at('Book', id)}/` },
    ])
    expect(created.success.objectId).toEqual(ID)
    for (const { success } of [gotten, old, slash]) expect(success.n).toBe(1)
  })

  it('runs as the caller: session and master key apply to every item', async () => {
    const { id: user, session } = await app.makeUser('batcher')
    const id = await make('Guarded', { n: 1, ACL: { [user]: { read: true, write: true } } })
    const items = [
      { method: 'PUT', path: at('Guarded', id), body: { n: 2 } },
      { method: 'GET', path: at('Guarded', id) },
    ]
    expect(await results(items)).toEqual([error(403), error(403)])
    const success = { success: expect.objectContaining({ objectId: id }) }
    expect(await results(items, { session })).toEqual([success, success])
    expect(await results(items, { master: true })).toEqual([success, success])
    const [scanned] = await results([{ method: 'GET', path: '/1.1/scan/classes/Guarded' }], { master: true })
    expect(scanned.success.results).toHaveLength(1)
  })

  it('serves roles, files and schemas', async () => {
    const ACL = { '*': { read: true } }
    const [role, file, schema] = await results(
      [
        { method: 'POST', path: '/1.1/roles', body: { name: 'FromBatch', ACL } },
        { method: 'POST', path: '/1.1/files', body: { name: 'a', url: 'https://example.com/a' } },
        { method: 'GET', path: '/1.1/schemas/Book' },
      ],
      { master: true },
    )
    expect((await app.request('GET', `/1.1/roles/${role.success.objectId}`)).body.name).toBe('FromBatch')
    expect((await app.request('GET', `/1.1/files/${file.success.objectId}`)).body.name).toBe('a')
    expect(schema.success.n).toEqual({ type: 'Number' })
  })
})

describe('batch/save', () => {
  const save = (requests: unknown) => app.request('POST', '/1.1/batch/save', { body: { requests } })
  const post = (className: string, internalId: string, fields: object = {}, children: object[] = []) => ({
    method: 'POST',
    path: at(className),
    body: { ...fields, __internalId: internalId, __children: children },
  })
  const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

  it.each(['POST', 'PUT'])('changes created objects by %s to the class path', async (method) => {
    const further = { method, path: at('Tree'), new: true }
    const { status, body } = await save([
      post('Leaf', 'l1', { color: 'green' }),
      post('Tree', 't1', { height: 1 }),
      { ...further, body: { height: { __op: 'Increment', amount: 2 }, __internalId: 't1' } },
      { ...further, body: { __internalId: 't1', __children: [{ className: 'Leaf', cid: 'l1', key: 'leaf' }] } },
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    const { body: stored } = await app.request('GET', at('Tree', body.t1.objectId))
    expect(stored).toMatchObject({ height: 3, leaf: pointer('Leaf', body.l1.objectId) })
  })

  it('saves a graph and returns results by internal id', async () => {
    const trip = await make('Trip', { days: 1 })
    const { status, body } = await save([
      { ...post('City', 'c1', { name: 'Turku' }), new: true },
      post('Person', 'p1', { name: 'Ann' }, [{ className: 'City', cid: 'c1', key: 'home' }]),
      {
        method: 'PUT',
        path: at('Trip', trip),
        body: {
          days: { __op: 'Increment', amount: 2 },
          __internalId: trip,
          __children: [
            { className: 'City', cid: 'c1', key: 'to' },
            { className: 'Person', cid: 'p1', key: 'by' },
          ],
        },
        params: { fetchWhenSave: true },
      },
    ])
    expect(status).toBe(200)
    const city = pointer('City', body.c1.objectId)
    const person = pointer('Person', body.p1.objectId)
    expect(body).toEqual({
      c1: { objectId: ID, createdAt: DATE, updatedAt: DATE, name: 'Turku' },
      p1: { objectId: ID, createdAt: DATE },
      [trip]: { objectId: trip, updatedAt: DATE, days: 3, to: city, by: person },
    })
    expect(await read('Trip', trip)).toMatchObject({ days: 3, to: city, by: person })
    expect(await read('Person', body.p1.objectId)).toMatchObject({ name: 'Ann', home: city })
    expect(Object.keys(await read('City', body.c1.objectId)).toSorted()).toEqual([
      'createdAt',
      'name',
      'objectId',
      'updatedAt',
    ])
  })

  it('treats several requests for one object as parts of it', async () => {
    const { body } = await save([
      post('Person', 'p1', { name: 'Bo' }),
      post('Person', 'p1', { tags: { __op: 'Add', objects: ['a'] } }),
      post('Person', 'p1', { tags: { __op: 'Add', objects: ['b'] } }),
    ])
    expect(Object.keys(body)).toEqual(['p1'])
    expect(body.p1).toEqual({ objectId: ID, createdAt: DATE, updatedAt: DATE })
    expect(await read('Person', body.p1.objectId)).toMatchObject({ name: 'Bo', tags: ['a', 'b'] })
    const { results: people } = (await app.request('GET', at('Person'), { query: { where: '{"name":"Bo"}' } })).body
    expect(people).toHaveLength(1)
  })

  it('fails as a whole with the error of its first failure, and keeps earlier writes', async () => {
    const id = await make('Trip', { days: 1 })
    const reply = await save([
      post('City', 'c1', { name: 'before' }),
      { method: 'PUT', path: at('Trip', id), body: { days: 'x', __internalId: id, __children: [] } },
      post('City', 'c2', { name: 'after' }),
    ])
    expect(reply).toMatchObject({ status: 400, body: { code: 111, error: expect.any(String) } })
    const names = async (name: string) =>
      (await app.request('GET', at('City'), { query: { where: JSON.stringify({ name }) } })).body.results.length
    expect([await names('before'), await names('after')]).toEqual([1, 0])
  })

  it('fails with 305 when a condition does not hold', async () => {
    const id = await make('Trip', { days: 1 })
    const put = { method: 'PUT', path: at('Trip', id), body: { days: 5, __internalId: id, __children: [] } }
    expect(await save([{ ...put, params: { where: { days: 2 } } }])).toMatchObject({ status: 400, body: { code: 305 } })
    expect((await save([{ ...put, params: { where: { days: 1 } } }])).status).toBe(200)
  })

  it('rejects a child that was not saved before', async () => {
    const reply = await save([post('Person', 'p1', {}, [{ className: 'City', cid: 'c9', key: 'home' }])])
    expect(reply).toMatchObject({ status: 400, body: { code: 1 } })
  })

  it('can be empty', async () => {
    expect(await save([])).toMatchObject({ status: 200, body: {} })
  })
})
