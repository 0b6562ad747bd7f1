import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()
await app.admin('POST', '/classes', {
  className: 'Config',
  fields: { value: { type: 'Any' }, key: { type: 'String' }, fallback: { type: 'Any', default: [1] } },
})

const send = async (method: string, path: string, body?: unknown, query: Record<string, string> = {}) =>
  app.request(method, `/1.1/classes/${path}`, { ...(body !== undefined && { body }), query })
const make = async (value: unknown): Promise<string> => (await send('POST', 'Config', { value })).body.objectId
const storedIn = async (id: string) => (await send('GET', `Config/${id}`)).body.value
const pointer = { __type: 'Pointer', className: 'Post', objectId: 'p1' }
const other = { __type: 'Pointer', className: 'Other', objectId: 'p1' }

const VALUES = [
  'text',
  '',
  1,
  1.5,
  true,
  false,
  null,
  [],
  ['a', 1, { b: 2 }],
  {},
  { a: { b: [1] } },
  { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' },
  { __type: 'Bytes', base64: 'AAAA' },
  pointer,
  other,
  { __type: 'GeoPoint', latitude: 1.5, longitude: 2.5 },
  { __type: 'File', id: 'f1', objectId: 'f1' },
]

describe('a field of the type Any', () => {
  it('accepts a value of every type, each replacing any other', async () => {
    for (const value of VALUES) {
      const id = await make(value)
      expect(await storedIn(id)).toEqual(value)
      for (const next of VALUES) {
        expect((await send('PUT', `Config/${id}`, { value: next })).body.error).toBeUndefined()
        expect(await storedIn(id)).toEqual(next)
      }
    }
  })

  it('accepts operations that fit the stored value, else error 111', async () => {
    const id = await make(1)
    const change = async (value: unknown) => (await send('PUT', `Config/${id}`, { value })).body.code
    expect(await change({ __op: 'Increment', amount: 2 })).toBeUndefined()
    expect(await storedIn(id)).toBe(3)
    expect(await change({ __op: 'Add', objects: [1] })).toBe(111)
    expect(await change(['a'])).toBeUndefined()
    expect(await change({ __op: 'AddUnique', objects: ['a', 'b'] })).toBeUndefined()
    expect(await storedIn(id)).toEqual(['a', 'b'])
    expect(await change({ __op: 'Increment', amount: 2 })).toBe(111)
    expect(await change({ __op: 'AddRelation', objects: [pointer] })).toBe(111)
    expect(await change({ deep: { x: 1 } })).toBeUndefined()
    expect((await send('PUT', `Config/${id}`, { 'value.deep.x': 2 })).status).toBe(200)
    expect(await storedIn(id)).toEqual({ deep: { x: 2 } })
  })

  it('shows its type in the schema, its default in objects, and its values in a dump of the class', async () => {
    expect((await app.request('GET', '/1.1/schemas/Config', { master: true })).body.value).toEqual({ type: 'Any' })
    expect((await app.admin('GET', '/classes/Config')).body.fields).toMatchObject({
      value: { type: 'Any' },
      fallback: { type: 'Any', default: [1] },
    })
    expect((await send('GET', `Config/${await make(1)}`)).body.fallback).toEqual([1])
  })

  it.each<[what: string, condition: object, found: readonly unknown[]]>([
    ['a text', { value: 'x' }, ['x', ['x', 2]]],
    ['a number', { value: 2 }, [2, ['x', 2]]],
    ['an object', { value: { a: 'x' } }, [{ a: 'x' }]],
    ['a list', { value: ['x', 2] }, [['x', 2]]],
    ['a Pointer', { value: pointer }, [pointer]],
    ['a dotted key', { 'value.a': 'x' }, [{ a: 'x' }]],
    ['null', { value: null }, [null]],
    ['$in', { value: { $in: ['x', pointer, 7] } }, ['x', ['x', 2], pointer]],
    ['$nin', { value: { $nin: ['x', 2, null] } }, [{ a: 'x' }, pointer, true]],
    ['$gt', { value: { $gt: 1 } }, [2, ['x', 2]]],
    ['$all', { value: { $all: ['x', 2] } }, [['x', 2]]],
    ['$size', { value: { $size: 2 } }, [['x', 2]]],
    ['$regex', { value: { $regex: '^x' } }, ['x', ['x', 2]]],
    ['$exists', { value: { $exists: true } }, ['x', 2, ['x', 2], { a: 'x' }, pointer, true, null]],
  ])('is queried by the value each object has: %s', async (_what, condition, found) => {
    const className = 'Queried'
    if ((await send('GET', className)).status === 404) {
      await app.admin('POST', '/classes', { className, fields: { value: { type: 'Any' }, n: { type: 'Number' } } })
      for (const [n, value] of ['x', 2, ['x', 2], { a: 'x' }, pointer, true, null].entries())
        await send('POST', className, { value, n })
    }
    const query = { where: JSON.stringify(condition), order: 'n' }
    const { body } = await send('GET', className, undefined, query)
    expect(body.results.map(({ value }: { value: unknown }) => value)).toEqual(found)
    expect((await send('GET', className, undefined, { order: '-value', limit: '3' })).body.results).toHaveLength(3)
  })

  it('can have indexes; a unique one covers the whole value', async () => {
    const indexes = [{ fields: ['value'] }, { fields: ['value', 'key'], unique: true }]
    await app.admin('POST', '/classes', {
      className: 'Indexed',
      fields: { value: { type: 'Any' }, key: { type: 'String' } },
      indexes,
    })
    const codeOf = async (body: object) => (await send('POST', 'Indexed', body)).body.code
    expect(await codeOf({ value: ['a'], key: 'k' })).toBeUndefined()
    expect(await codeOf({ value: ['a'], key: 'l' })).toBeUndefined()
    expect(await codeOf({ value: 'a', key: 'k' })).toBeUndefined()
    expect(await codeOf({ value: ['a'], key: 'k' })).toBe(137)
    expect((await app.admin('GET', '/classes/Indexed')).body.indexes).toEqual(['value', 'unique value,key'])
  })

  it('can replace any other field type, but not the reverse', async () => {
    const id = (await send('POST', 'Widened', { value: ['a'], place: VALUES[15], n: 1 })).body.objectId
    expect((await send('PUT', `Widened/${id}`, { value: { a: 1 } })).body.code).toBe(111)
    const declare = (fields: object) => app.admin('PATCH', '/classes/Widened', { fields })
    expect((await declare({ value: { type: 'Any' } })).body.fields.value).toEqual({ type: 'Any' })
    expect((await send('PUT', `Widened/${id}`, { value: { a: 1 } })).status).toBe(200)
    expect((await declare({ value: { type: 'Any', required: true } })).status).toBe(200)
    expect((await declare({ value: { type: 'Array' } })).body.code).toBe(111)
    expect((await declare({ place: { type: 'Any' } })).body.code).toBe(111)
    expect((await declare({ n: { type: 'Number', autoIncrement: true } })).status).toBe(200)
    expect((await declare({ n: { type: 'Any' } })).body.code).toBe(111)
    const builtIn = await app.admin('PATCH', '/classes/_User', { fields: { username: { type: 'Any' } } })
    expect(builtIn.body.code).toBe(111)
  })
})

describe('an index on the objectId of a Pointer', () => {
  it.each(['owner.objectId', 'owner.$id', 'owner'])('%s is the index on the Pointer', async (field) => {
    const className = `Owned${field.length}`
    const body = {
      className,
      fields: { owner: { type: 'Pointer', className: '_User' }, n: { type: 'Number' } },
      indexes: [{ fields: [field, '-n'] }, { fields: [field], unique: true }],
    }
    const made = await app.admin('POST', '/classes', body)
    expect(made.body.indexes).toEqual(['owner,-n', 'unique owner'])
    const owner = { __type: 'Pointer', className: '_User', objectId: 'u1' }
    expect((await send('POST', className, { owner })).status).toBe(201)
    expect((await send('POST', className, { owner })).body.code).toBe(137)
    expect((await send('POST', className, {})).status).toBe(201)
    // Declaring it again changes nothing.
    const again = await app.admin('PATCH', `/classes/${className}`, { indexes: body.indexes })
    expect(again.body.indexes).toEqual(['owner,-n', 'unique owner'])
  })

  it('also for a File, and for no other type', async () => {
    await send('POST', 'Covered', { cover: { __type: 'File', id: 'f1' }, o: { objectId: 'x' }, s: 'x' })
    const add = (field: string) => app.admin('PATCH', '/classes/Covered', { indexes: [{ fields: [field] }] })
    expect((await add('cover.objectId')).body.indexes).toEqual(['cover'])
    for (const field of ['o.objectId', 's.objectId', 'none.objectId', 'cover.name'])
      expect((await add(field)).body).toMatchObject({ code: 1, error: expect.stringContaining(field) })
  })
})
