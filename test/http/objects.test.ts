import { describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()
const MISSING = '0123456789abcdef01234567'

const create = (className: string, body: unknown, options: RequestOptions = {}) =>
  app.request('POST', `/1.1/classes/${className}`, { body, ...options })
const read = async (className: string, id: string, query = {}) =>
  (await app.request('GET', `/1.1/classes/${className}/${id}`, { query })).body
const update = (className: string, id: string, body: unknown, options: RequestOptions = {}) =>
  app.request('PUT', `/1.1/classes/${className}/${id}`, { body, ...options })
const remove = (className: string, id: string, options: RequestOptions = {}) =>
  app.request('DELETE', `/1.1/classes/${className}/${id}`, options)
const make = async (className: string, body: unknown): Promise<string> => (await create(className, body)).body.objectId
const keysOf = (body: object) => Object.keys(body).toSorted()
const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })
const point = (latitude: unknown, longitude: unknown) => ({ __type: 'GeoPoint', latitude, longitude })

function expectError(reply: Reply, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

describe('the members of responses', async () => {
  const member = await make('Member', {})
  const first = await make('Shape', {
    name: 'first',
    n: 1,
    fans: { __op: 'AddRelation', objects: [pointer('Member', member)] },
  })

  it('a create: createdAt, objectId', async () => {
    const { status, body } = await create('Shape', { name: 'a' })
    expect([status, keysOf(body)]).toEqual([201, ['createdAt', 'objectId']])
    expect(body.objectId).toMatch(/^[0-9a-f]{24}$/)
    expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Number.parseInt(body.objectId.slice(0, 8), 16)).toBe(Math.floor(Date.parse(body.createdAt) / 1000))
  })

  it.each(['fetchWhenSave', 'new'])('a create with %s: custom and relation fields too', async (parameter) => {
    const { status, body } = await create('Shape', { name: 'a' }, { query: { [parameter]: 'true' } })
    expect([status, keysOf(body)]).toEqual([201, ['createdAt', 'fans', 'name', 'objectId', 'updatedAt']])
    expect(body.updatedAt).toBe(body.createdAt)
    expect(body).toEqual(await read('Shape', body.objectId))
  })

  it('a create with fetchWhenSave=false: as without', async () => {
    const { body } = await create('Shape', { name: 'a' }, { query: { fetchWhenSave: 'false', new: 'false' } })
    expect(keysOf(body)).toEqual(['createdAt', 'objectId'])
  })

  it('an update: objectId, updatedAt', async () => {
    const { status, body } = await update('Shape', first, { n: 2 })
    expect([status, keysOf(body)]).toEqual([200, ['objectId', 'updatedAt']])
    expect(body.objectId).toBe(first)
  })

  it.each(['fetchWhenSave', 'new'])('an update with %s: changed and relation fields too', async (parameter) => {
    const options = { query: { [parameter]: 'true' } }
    const { status, body } = await update('Shape', first, { n: { __op: 'Increment', amount: 5 } }, options)
    expect([status, keysOf(body)]).toEqual([200, ['fans', 'n', 'objectId', 'updatedAt']])
    expect(body.n).toBe((await read('Shape', first)).n)
    expect(body.fans).toEqual({ __type: 'Relation', className: 'Member' })
  })

  it('a conditional update with fetchWhenSave: the same', async () => {
    const query = { where: '{"name":"first"}', fetchWhenSave: 'true' }
    const { body } = await update('Shape', first, { n: 1 }, { query })
    expect(keysOf(body)).toEqual(['fans', 'n', 'objectId', 'updatedAt'])
  })

  it('a delete: none', async () => {
    const { status, body } = await remove('Shape', await make('Shape', {}))
    expect([status, body]).toEqual([200, {}])
  })

  it('a read: custom, createdAt, objectId, relation fields, updatedAt', async () => {
    expect(keysOf(await read('Shape', first))).toEqual(['createdAt', 'fans', 'n', 'name', 'objectId', 'updatedAt'])
  })

  it('a query: results; with count=1 and limit=0: count and empty results', async () => {
    const { body } = await app.request('GET', '/1.1/classes/Shape')
    expect(keysOf(body)).toEqual(['results'])
    for (const result of body.results) {
      expect(result).not.toHaveProperty('className')
      expect(result).not.toHaveProperty('__type')
    }
    const counted = await app.request('GET', '/1.1/classes/Shape', { query: { count: '1', limit: '0' } })
    expect(counted.body).toEqual({ count: body.results.length, results: [] })
  })

  it('a query of roles: createdAt, name, objectId, roles, updatedAt, users', async () => {
    await app.request('POST', '/1.1/roles', { body: { name: 'R', ACL: { '*': { read: true } } } })
    const { body } = await app.request('GET', '/1.1/classes/_Role')
    expect(keysOf(body.results[0])).toEqual(['createdAt', 'name', 'objectId', 'roles', 'updatedAt', 'users'])
  })

  it('a scan: cursor, results', async () => {
    expect(keysOf((await app.request('GET', '/1.1/scan/classes/Shape', { master: true })).body)).toEqual([
      'cursor',
      'results',
    ])
  })

  it('the date: __type, iso', async () => {
    expect(keysOf((await app.request('GET', '/1.1/date')).body)).toEqual(['__type', 'iso'])
  })

  it('an object with returnACL: ACL too, once the app allows it', async () => {
    expect(keysOf(await read('Member', member, { returnACL: 'true' }))).not.toContain('ACL')
    await app.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
    expect(keysOf(await read('Member', member, { returnACL: 'true' }))).toEqual([
      'ACL',
      'createdAt',
      'objectId',
      'updatedAt',
    ])
    expect(keysOf(await read('Member', member))).not.toContain('ACL')
  })
})

describe('missing targets', async () => {
  await make('Real', {})

  it('an object: GET is {}', async () => {
    const reply = await app.request('GET', `/1.1/classes/Real/${MISSING}`, { query: { keys: 'a', include: 'b' } })
    expect([reply.status, reply.body]).toEqual([200, {}])
  })

  it('a class: GET is 404 with code 101', async () => {
    expectError(await app.request('GET', `/1.1/classes/NoSuchClass/${MISSING}`), 101, 404)
    expectError(await app.request('GET', '/1.1/classes/NoSuchClass'), 101, 404)
  })

  it('a user: GET is error 211', async () => {
    expectError(await app.request('GET', `/1.1/classes/_User/${MISSING}`), 211)
  })

  it('an object: PUT is code 1, with a condition 305', async () => {
    const reply = await update('Real', MISSING, { a: 1 })
    expectError(reply, 1)
    expect(reply.body.error).toBe(`Could not find object by id '${MISSING}' for class 'Real'.`)
    expectError(await update('Real', MISSING, { a: 1 }, { query: { where: '{"a":1}' } }), 305)
  })

  it('an object or class: DELETE succeeds; with a condition it is 305', async () => {
    for (const className of ['Real', 'NoSuchClass']) {
      expect(await remove(className, MISSING)).toMatchObject({ status: 200, body: {} })
      expectError(await remove(className, MISSING, { query: { where: '{"a":1}' } }), 305)
    }
  })

  it('neither PUT nor GET nor DELETE creates a class', async () => {
    expectError(await update('StillNot', MISSING, { a: 1 }), 1)
    await remove('StillNot', MISSING)
    expectError(await app.request('GET', '/1.1/classes/StillNot'), 101, 404)
  })
})

describe('class names', () => {
  it.each(['1Post', 'my-class', 'my.class', 'Klasse%C3%BC', 'a%20b', '_Unknown', '__User', 'a'.repeat(129), '%22'])(
    'rejects %s with error 103',
    async (name) => {
      expectError(await create(name, {}), 103)
    },
  )

  it.each(['Post', 'post', 'P', 'Post_2', 'a'.repeat(128), 'select', 'Order'])('accepts %s', async (name) => {
    const { status, body } = await create(name, { n: 1 })
    expect(status).toBe(201)
    expect((await read(name, body.objectId)).n).toBe(1)
  })

  it('are case-sensitive', async () => {
    await create('CaseOne', { n: 1 })
    await create('caseone', { n: 'text' })
    expect((await app.request('GET', '/1.1/classes/CaseOne')).body.results).toHaveLength(1)
  })

  it('that are very long and share a prefix are different classes', async () => {
    const [one, two] = ['1', '2'].map((end) => `${'Long'.repeat(30)}${end}`)
    await create(one!, { n: 1 })
    await create(two!, { n: 'text' })
    expect((await app.request('GET', `/1.1/classes/${one}`)).body.results).toHaveLength(1)
  })
})

describe('key names', () => {
  it.each(['a b', 'a-b', 'a.b', '', 'schlüssel', '键', 'a$', '$a', 'a"b', "a'b", 'a'.repeat(129)])(
    'rejects %j with error 105',
    async (key) => {
      expectError(await create('Keys', { [key]: 1 }), 105)
      expectError(await create('Keys', { [key]: { __op: 'Increment', amount: 1 } }), 105)
    },
  )

  it.each([
    'a',
    'A',
    '_a',
    '1a',
    '0',
    'a_1',
    'select',
    'data',
    'id',
    'acl',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('accepts %s', async (key) => {
    const id = await make('Keys', { [key]: 1 })
    expect((await read('Keys', id))[key]).toBe(1)
    await update('Keys', id, { [key]: { __op: 'Increment', amount: 1 } })
    const where = JSON.stringify({ [key]: 2, objectId: id })
    expect((await app.request('GET', '/1.1/classes/Keys', { query: { where, order: key } })).body.results).toHaveLength(
      1,
    )
    await update('Keys', id, { [key]: { __op: 'Delete' } })
    expect(Object.hasOwn(await read('Keys', id), key)).toBe(false)
  })

  it('ignores system keys as data', async () => {
    const body = { objectId: MISSING, createdAt: '2001-01-01T00:00:00.000Z', updatedAt: 'x', className: 'Other', n: 1 }
    const id = await make('Keys', body)
    expect(id).not.toBe(MISSING)
    expect((await update('Keys', id, { ...body, n: 2 })).status).toBe(200)
    const object = await read('Keys', id)
    expect(object.n).toBe(2)
    expect(object.createdAt).not.toBe(body.createdAt)
    expect(object).not.toHaveProperty('className')
  })

  it('rejects operations on system keys: error 117', async () => {
    const id = await make('Keys', {})
    for (const key of ['objectId', 'createdAt', 'updatedAt']) {
      expectError(await update('Keys', id, { [key]: { __op: 'Delete' } }), 117)
    }
  })

  it('with two leading underscores are instructions, never stored', async () => {
    const id = await make('Keys', { __internalId: 'x', __children: [], __type: 'Object', __anything: 1, n: 1 })
    expect(keysOf(await read('Keys', id))).toEqual(['createdAt', 'n', 'objectId', 'updatedAt'])
  })

  it('within objects cannot contain $ or dots: error 121', async () => {
    for (const value of [{ $a: 1 }, { 'a.b': 1 }, { a: { b$: 1 } }, { a: [{ 'x.y': 1 }] }]) {
      expectError(await create('Keys', { nested: value }), 121)
      expectError(await create('Keys', { list: [value] }), 121)
    }
  })

  it('within objects are otherwise unrestricted', async () => {
    const text = '{"a b":1,"ü":2,"":3,"__proto__":{"x":1},"constructor":4,"-":5}'
    const id = await make('Keys', `{"nested":${text}}`)
    expect((await read('Keys', id)).nested).toEqual(JSON.parse(text))
  })
})

describe('ids', () => {
  it.each(['a%20b', 'a.b', '%00', '%C3%BC', '%22', 'x'.repeat(129)])('rejects the id %s: error 104', async (id) => {
    await make('Ids', {})
    expectError(await app.request('GET', `/1.1/classes/Ids/${id}`), 104)
    expectError(await update('Ids', id, { a: 1 }), 104)
    expectError(await remove('Ids', id), 104)
  })

  it('of one class can be deleted as a list', async () => {
    const ids = [await make('Ids', { n: 1 }), await make('Ids', { n: 2 }), await make('Ids', { n: 3 })]
    expect(await remove('Ids', `${ids[0]},${ids[2]},${MISSING}`)).toMatchObject({ status: 200, body: {} })
    expect(await read('Ids', ids[0]!)).toEqual({})
    expect((await read('Ids', ids[1]!)).n).toBe(2)
    expect(await read('Ids', ids[2]!)).toEqual({})
  })
})

describe('values', () => {
  const invalid: [value: unknown, code: number][] = [
    [{ __type: 'Pointer', className: 'Post' }, 106],
    [{ __type: 'Pointer', objectId: MISSING }, 106],
    [{ __type: 'Pointer', className: 'bad-name', objectId: MISSING }, 106],
    [{ __type: 'Pointer', className: 'Post', objectId: '' }, 106],
    [{ __type: 'Pointer', className: 'Post', objectId: 5 }, 106],
    [{ __type: 'Date' }, 111],
    [{ __type: 'Date', iso: 'yesterday' }, 111],
    [{ __type: 'Date', iso: 5 }, 111],
    [{ __type: 'Bytes', base64: '***' }, 111],
    [{ __type: 'Bytes', base64: 'YQ' }, 111],
    [{ __type: 'Bytes', base64: 'YQ==\n' }, 111],
    [{ __type: 'File' }, 111],
    [{ __type: 'Unknown' }, 111],
    [{ __type: 5 }, 111],
    [point(90.1, 0), 302],
    [point(-90.1, 0), 302],
    [point(0, 180.1), 302],
    [point(0, -180.1), 302],
    [point('1', 2), 302],
    [point(undefined, 2), 302],
    ...['Unknown', 'add', 'ADD', 'Set', '', ' Add', 'constructor', '__proto__', 5, null, true, {}, ['Add']].map(
      (name): [unknown, number] => [{ __op: name, objects: [1], amount: 1 }, 1],
    ),
    [{ __op: 'Increment', amount: '1' }, 111],
    [{ __op: 'Add', objects: 1 }, 111],
    [{ __op: 'AddUnique' }, 111],
    [{ __op: 'BitAnd', value: 1.5 }, 111],
    [{ __op: 'Batch', ops: 1 }, 111],
    [{ __op: 'Batch', ops: [1] }, 111],
    [{ __op: 'Batch', ops: [{ __op: 'Increment' }, { __op: 'Multiply' }] }, 304],
    [{ __op: 'Batch', ops: [{ __op: 'Batch', ops: [] }] }, 304],
    [{ __op: 'AddRelation', objects: [] }, 128],
    [{ __op: 'AddRelation', objects: ['x'] }, 128],
    [{ __op: 'AddRelation', objects: [pointer('A', MISSING), pointer('B', MISSING)] }, 128],
  ]
  it.each(invalid)('rejects %j with error %i in creates, updates, arrays and batches', async (value, code) => {
    expectError(await create('Values', { value }), code)
    const id = await make('Values', {})
    expectError(await update('Values', id, { value }), code)
    const requests = [{ method: 'POST', path: '/1.1/classes/Values', body: { value } }]
    expect((await app.request('POST', '/1.1/batch', { body: { requests } })).body[0].error.code).toBe(code)
    if (!Object.hasOwn(Object(value), '__op')) expectError(await create('Values', { list: [value] }), code)
    expect(await read('Values', id)).not.toHaveProperty('value')
  })

  it('rejects an unknown __op with error 1 wherever a field can be written', async () => {
    const unknown = { __op: 'add', objects: [1] }
    const id = await make('Values', { part: { of: 1 }, value: 1 })
    const user = await app.makeUser('unknown op')
    const writes: [method: string, path: string, body: object][] = [
      ['POST', '/1.1/classes/Values', { value: unknown }],
      ['PUT', `/1.1/classes/Values/${id}`, { value: unknown }],
      ['PUT', `/1.1/classes/Values/${id}`, { 'part.of': unknown }],
      ['PUT', `/1.1/users/${user.id}`, { nick: unknown }],
      ['PUT', `/1.1/users/${user.id}`, { nick: unknown, username: 'another name' }],
      ['POST', '/1.1/users', { username: 'never made', password: 'p', nick: unknown }],
      ['POST', '/1.1/roles', { name: 'never', users: unknown }],
      ['POST', '/1.1/installations', { deviceType: 'android', installationId: 'i', note: unknown }],
      ['POST', '/1.1/files', { name: 'a', url: 'https://example.org/a', note: unknown }],
      [
        'POST',
        '/1.1/statuses',
        { query: { className: '_User', where: { objectId: user.id } }, data: { note: unknown } },
      ],
    ]
    for (const [method, path, body] of writes) {
      const options = { body, session: user.session }
      const { body: error } = await app.request(method, path, options)
      expect([path, error.code, error.error]).toEqual([path, 1, expect.stringContaining('unknown __op "add"')])
    }
    const cql = `update Values set value = op('add', {"objects": [1]}) where objectId = '${id}'`
    const reply = await app.request('GET', '/1.1/cloudQuery', { query: { cql } })
    expect(reply.body.code).toBe(1)
    expect(await read('Values', id)).toMatchObject({ part: { of: 1 }, value: 1 })
  })

  it('rejects a number beyond the range with error 111', async () => {
    expectError(await create('Values', '{"number":1e999}'), 111)
  })

  it('rejects excessive nesting with error 107', async () => {
    expectError(await create('Values', `{"deep":${'['.repeat(2000)}${']'.repeat(2000)}}`), 107)
  })

  it('rejects a malformed ACL with error 123', async () => {
    for (const ACL of [1, 'a', [1], { '*': 1 }, { '*': { read: 1 } }, { '*': { all: true } }]) {
      expectError(await create('Values', { ACL }), 123)
    }
  })

  it('returns typed values with their own members only', async () => {
    const at = { __type: 'Date', iso: '2024-02-29T12:00:00.000Z', extra: 1 }
    const id = await make('Values', {
      at,
      pointer: { ...pointer('Post', MISSING), name: 'x' },
      place: { ...point(1.5, -2.5), extra: 1 },
      bytes: { __type: 'Bytes', base64: 'YQ==', extra: 1 },
    })
    expect(await read('Values', id)).toMatchObject({
      at: { __type: 'Date', iso: at.iso },
      pointer: pointer('Post', MISSING),
      place: point(1.5, -2.5),
      bytes: { __type: 'Bytes', base64: 'YQ==' },
    })
  })

  it('stores a Date in UTC with milliseconds', async () => {
    const id = await make('Values', { at: { __type: 'Date', iso: '2024-01-01T02:00:00+02:00' } })
    expect((await read('Values', id)).at.iso).toBe('2024-01-01T00:00:00.000Z')
  })

  it('rejects an object of more than 16 MB with error 116', async () => {
    expectError(await create('Huge', { text: 'x'.repeat(16 * 1024 * 1024) }), 116)
    expect((await create('Huge', { text: 'x'.repeat(1024 * 1024) })).status).toBe(201)
  })
})

describe('field types', () => {
  const samples: Record<string, unknown> = {
    String: 'text',
    Number: 1,
    Boolean: true,
    Array: [1],
    Object: { a: 1 },
    Date: { __type: 'Date', iso: '2024-01-01T00:00:00.000Z' },
    Bytes: { __type: 'Bytes', base64: 'YQ==' },
    Pointer: pointer('Post', MISSING),
    File: { __type: 'File', id: MISSING },
    GeoPoint: point(1, 2),
  }

  it.each(Object.keys(samples))('%s is set by the first value and accepts no other type: error 111', async (type) => {
    const className = `Typed${type}`
    const id = await make(className, { f: samples[type] })
    for (const [other, value] of Object.entries(samples)) {
      if (other === type) continue
      expectError(await create(className, { f: value }), 111)
      expectError(await update(className, id, { f: value }), 111)
    }
    expect((await create(className, { f: samples[type] })).status).toBe(201)
    expect((await update(className, id, { f: null })).status).toBe(200)
    const schema = (await app.request('GET', `/1.1/schemas/${className}`, { master: true })).body
    expect(schema.f.type).toBe(type)
  })

  it('are not fixed by null', async () => {
    const id = await make('Unfixed', { f: null })
    expect((await update('Unfixed', id, { f: 1 })).status).toBe(200)
    expectError(await update('Unfixed', id, { f: 'text' }), 111)
  })

  it('are not fixed by a rejected create', async () => {
    expectError(await create('Refused', { good: 1, bad: { __type: 'Date' } }), 111)
    expect((await create('Refused', { good: 'text' })).status).toBe(201)
  })

  it('of integers accept fractions', async () => {
    const id = await make('Numbers', { n: 1 })
    await update('Numbers', id, { n: 0.5 })
    expect((await read('Numbers', id)).n).toBe(0.5)
  })
})

describe('limits', () => {
  it('an app has at most 500 classes: error 154', async () => {
    const full = await makeApp()
    await full.request('POST', '/1.1/classes/First', { body: {} })
    await full.sql(
      `INSERT INTO "$classes" (name, table_name) SELECT 'C' || n, 'C' || n FROM generate_series(1, 498) AS n`,
    )
    expect((await full.request('POST', '/1.1/classes/Last', { body: {} })).status).toBe(201)
    expectError(await full.request('POST', '/1.1/classes/OneMore', { body: {} }), 154)
    expect((await full.request('POST', '/1.1/classes/First', { body: {} })).status).toBe(201)
  })

  it('a class has at most 300 fields: error 154', async () => {
    const fields = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`f${from + index}`, 1]))
    expectError(await create('Wide', fields(0, 301)), 154)
    const made = await create('Wide', fields(0, 300))
    expect(made.status).toBe(201)
    expectError(await create('Wide', { oneMore: 1 }), 154)
    expectError(await update('Wide', made.body.objectId, { oneMore: 1 }), 154)
    expect((await update('Wide', made.body.objectId, { f0: 2 })).status).toBe(200)
  })

  it('an object has at most one GeoPoint: error 302, in creates and updates', async () => {
    expectError(await create('Geo', { a: point(1, 1), b: point(2, 2) }), 302)
    const id = await make('Geo', { a: point(1, 1) })
    expectError(await update('Geo', id, { b: point(2, 2) }), 302)
    expect(await read('Geo', id)).not.toHaveProperty('b')
    expect((await update('Geo', id, { a: point(3, 3) })).status).toBe(200)
    expect((await update('Geo', id, { a: { __op: 'Delete' }, b: point(2, 2) })).status).toBe(200)
    expectError(await update('Geo', id, { a: point(1, 1) }), 302)
    expect(await read('Geo', id)).toMatchObject({ b: point(2, 2) })
    const empty = await make('Geo', {})
    expectError(await update('Geo', empty, { a: point(1, 1), b: point(2, 2) }), 302)
  })
})

describe('operations', () => {
  it('Decrement is the opposite of Increment', async () => {
    const id = await make('Ops', { n: 5 })
    await update('Ops', id, { n: { __op: 'Decrement', amount: 7 } })
    expect((await read('Ops', id)).n).toBe(-2)
  })

  it('Delete accepts a redundant `delete: true`, and an absent field', async () => {
    const id = await make('Ops', { n: 5 })
    const options = { query: { fetchWhenSave: 'true' } }
    const { body } = await update('Ops', id, { n: { __op: 'Delete', delete: true }, x: { __op: 'Delete' } }, options)
    expect(keysOf(body)).toEqual(['objectId', 'updatedAt'])
    expect(await read('Ops', id)).not.toHaveProperty('n')
  })

  it('Batch applies several in order', async () => {
    const id = await make('Ops', { tags: ['a', 'b'] })
    const ops = [
      { __op: 'Remove', objects: ['a'] },
      { __op: 'Add', objects: ['a', 'c'] },
      { __op: 'AddUnique', objects: ['c', 'd'] },
    ]
    await update('Ops', id, { tags: { __op: 'Batch', ops } })
    expect((await read('Ops', id)).tags).toEqual(['b', 'a', 'c', 'd'])
  })

  it('on a dotted key create missing objects on the path', async () => {
    const id = await make('Ops', {})
    await update('Ops', id, { 'deep.a.b': 1, 'deep.n': { __op: 'Increment', amount: 2 } })
    expect((await read('Ops', id)).deep).toEqual({ a: { b: 1 }, n: 2 })
    await update('Ops', id, { 'deep.a.b': { __op: 'Delete' }, 'deep.list': { __op: 'AddUnique', objects: [1, 1] } })
    expect((await read('Ops', id)).deep).toEqual({ a: {}, n: 2, list: [1] })
  })

  it('on a dotted key require an object: error 111', async () => {
    const id = await make('Ops', { flat: 1, object: { flat: 1 } })
    expectError(await update('Ops', id, { 'flat.a': 1 }), 111)
    expectError(await update('Ops', id, { 'object.flat.a': 1 }), 111)
    expect(await read('Ops', id)).toMatchObject({ flat: 1, object: { flat: 1 } })
  })

  it('that fail leave the object unchanged', async () => {
    const id = await make('Ops', { text: 'a', n: 1 })
    expectError(await update('Ops', id, { n: 2, text: { __op: 'Increment', amount: 1 } }), 111)
    expect(await read('Ops', id)).toMatchObject({ text: 'a', n: 1 })
  })

  it('are accepted in a create', async () => {
    const id = await make('Created', {
      add: { __op: 'Add', objects: [1, 1] },
      unique: { __op: 'AddUnique', objects: [1, 1] },
      n: { __op: 'Increment', amount: 2 },
      and: { __op: 'BitAnd', value: 1 },
      or: { __op: 'BitOr', value: 1 },
      xor: { __op: 'BitXor', value: 1 },
    })
    expect(await read('Created', id)).toMatchObject({ add: [1, 1], unique: [1], n: 2, and: 0, or: 1, xor: 1 })
  })
})

describe('conditions', () => {
  it('of an update must hold, else error 305 and no change', async () => {
    const id = await make('Cond', { n: 1, tags: ['a'] })
    const where = (condition: unknown) => ({ query: { where: JSON.stringify(condition) } })
    expectError(await update('Cond', id, { n: 5 }, where({ n: { $gt: 1 } })), 305)
    expectError(await update('Cond', id, { n: 5 }, where([{ n: 1 }, { tags: 'b' }])), 305)
    expect((await read('Cond', id)).n).toBe(1)
    expect((await update('Cond', id, { n: 5 }, where({ n: 1, tags: 'a' }))).status).toBe(200)
    expect((await read('Cond', id)).n).toBe(5)
  })

  it('of an update are in the URL; in the body `where` is a field', async () => {
    const id = await make('Cond', { n: 1 })
    expect((await update('Cond', id, { n: 2, where: { n: 99 } })).status).toBe(200)
    expect(await read('Cond', id)).toMatchObject({ n: 2, where: { n: 99 } })
  })

  it('of a delete must hold, else error 305 and the object stays', async () => {
    const id = await make('Cond', { n: 1 })
    expectError(await remove('Cond', id, { query: { where: '{"n":2}' } }), 305)
    expect((await read('Cond', id)).n).toBe(1)
    expect((await remove('Cond', id, { query: { where: '{"n":1}' } })).status).toBe(200)
    expect(await read('Cond', id)).toEqual({})
  })

  it('that are not JSON get error 107, invalid ones 102', async () => {
    const id = await make('Cond', { n: 1 })
    expectError(await update('Cond', id, { n: 2 }, { query: { where: '{"n":' } }), 107)
    expectError(await update('Cond', id, { n: 2 }, { query: { where: '{"n":{"$no":1}}' } }), 102)
    expectError(await update('Cond', id, { n: 2 }, { query: { where: '5' } }), 102)
  })
})

describe('field options of the administrator', async () => {
  await make('Options', { name: 'a', secret: 's', level: 1, locked: 1 })
  await app.admin('PATCH', '/classes/Options', {
    fields: { name: { required: true }, secret: { hidden: true }, level: { default: 7 }, locked: { readOnly: true } },
  })

  it('required: missing on create gets error 113', async () => {
    expectError(await create('Options', { level: 1 }), 113)
    expectError(await create('Options', { name: null }), 113)
  })

  it('readOnly: a client write gets error 117, the master key can write', async () => {
    expectError(await create('Options', { name: 'a', locked: 2 }), 117)
    const { body } = await create('Options', { name: 'a', locked: 2 }, { master: true })
    expectError(await update('Options', body.objectId, { locked: 3 }), 117)
    expectError(await update('Options', body.objectId, { locked: { __op: 'Delete' } }), 117)
    expect((await read('Options', body.objectId)).locked).toBe(2)
  })

  it('hidden: invisible to clients, visible to the master key', async () => {
    const id = await make('Options', { name: 'a', secret: 'x' })
    expect(await read('Options', id)).not.toHaveProperty('secret')
    const reply = await app.request('GET', `/1.1/classes/Options/${id}`, { master: true })
    expect(reply.body.secret).toBe('x')
  })

  it('default: filled in when reading', async () => {
    const id = await make('Options', { name: 'a' })
    expect((await read('Options', id)).level).toBe(7)
    await app.admin('PATCH', '/classes/Options', { fields: { level: { default: 8 } } })
    expect((await read('Options', id)).level).toBe(8)
  })
})

describe('a unique index of the administrator', () => {
  const unique = (className: string) =>
    app.admin('PATCH', `/classes/${className}`, { indexes: [{ fields: ['key'], unique: true }] })

  it('rejects a duplicate value with error 137 in creates and updates', async () => {
    const first = await make('Indexed', { key: 'a' })
    const second = await make('Indexed', { key: 'b' })
    expect((await unique('Indexed')).status).toBe(200)
    expectError(await create('Indexed', { key: 'a' }), 137)
    expectError(await update('Indexed', second, { key: 'a' }), 137)
    expect((await read('Indexed', second)).key).toBe('b')
    expect((await update('Indexed', first, { key: 'a', n: 1 })).status).toBe(200)
    for (let times = 0; times < 2; times++) expect((await create('Indexed', { n: 1 })).status).toBe(201)
  })

  it('is not created while values repeat: error 137', async () => {
    for (let times = 0; times < 2; times++) await make('Repeating', { key: 'a' })
    expectError(await unique('Repeating'), 137)
    expect((await create('Repeating', { key: 'a' })).status).toBe(201)
  })
})

describe('a class deleted by the administrator', () => {
  it('is removed with its objects, and can be recreated with other types', async () => {
    const id = await make('Phoenix', { n: 1 })
    await app.request('GET', '/1.1/classes/Phoenix', { query: { where: '{"n":1}' } })
    expect((await app.admin('DELETE', '/classes/Phoenix')).status).toBe(200)
    expectError(await app.request('GET', `/1.1/classes/Phoenix/${id}`), 101, 404)
    const next = await make('Phoenix', { n: 'text' })
    expect(await read('Phoenix', id)).toEqual({})
    expect((await read('Phoenix', next)).n).toBe('text')
    const { body } = await app.request('GET', '/1.1/classes/Phoenix', { query: { where: '{"n":"text"}' } })
    expect(body.results).toHaveLength(1)
  })
})

describe('an app that forbids clients to create classes', () => {
  it('rejects them with 403, and allows the master key', async () => {
    const closed = await makeApp()
    await closed.admin('PATCH', '/settings', { storage: { clientClassCreation: false } })
    expectError(await closed.request('POST', '/1.1/classes/New', { body: {} }), 403, 403)
    expect((await closed.request('POST', '/1.1/classes/New', { body: {}, master: true })).status).toBe(201)
    expect((await closed.request('POST', '/1.1/classes/New', { body: {} })).status).toBe(201)
  })
})
