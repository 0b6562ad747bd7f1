import { describe, expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()

const create = async (className: string, body: object): Promise<string> =>
  (await app.request('POST', `/1.1/classes/${className}`, { body })).body.objectId
const show = async (className: string) => (await app.admin('GET', `/classes/${className}`)).body
const read = async (className: string, id: string) => (await app.request('GET', `/1.1/classes/${className}/${id}`)).body

describe('removing a field', () => {
  test('removes it from the class and all objects, and it can return with another type', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => create('Post', { score: n, title: `t${n}` })))
    await app.admin('PATCH', '/classes/Post', { indexes: [{ fields: ['score', '-createdAt'] }, { fields: ['title'] }] })
    const before = await read('Post', ids[0]!)
    const { status, body } = await app.admin('DELETE', '/classes/Post/fields/score')
    expect([status, body]).toEqual([200, { removed: 3, next: null }])
    expect(await read('Post', ids[0]!)).toEqual({ ...before, score: undefined })
    expect(await show('Post')).toMatchObject({ fields: { title: { type: 'String' } }, indexes: ['title'] })
    expect((await show('Post')).fields).not.toHaveProperty('score')
    expect((await app.request('POST', '/1.1/classes/Post', { body: { score: 'high' } })).status).toBe(201)
    expect((await show('Post')).fields.score).toEqual({ type: 'String' })
    const made = await app.admin('PATCH', '/classes/Post', { indexes: [{ fields: ['score'] }] })
    expect(made.body.indexes).toEqual(['title', 'score'])
    const found = await app.request('GET', '/1.1/classes/Post', { query: { where: '{"score":"high"}' } })
    expect(found.body.results).toHaveLength(1)
  })

  test('removes relation members, counters and geo indexes with it', async () => {
    const target = await create('Tag', {})
    const likes = { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: 'Tag', objectId: target }] }
    await create('Kept', { likes, other: likes, where: { __type: 'GeoPoint', latitude: 1, longitude: 2 } })
    await app.admin('PATCH', '/classes/Kept', { fields: { n: { type: 'Number', autoIncrement: true } } })
    for (const field of ['likes', 'where', 'n'])
      expect((await app.admin('DELETE', `/classes/Kept/fields/${field}`)).status).toBe(200)
    expect(Object.keys((await show('Kept')).fields)).toEqual(['other'])
    const { rows } = await app.sql('SELECT DISTINCT field FROM "$relations" WHERE owner_class = $1', ['Kept'])
    expect(rows).toEqual([{ field: 'other' }])
    const { body } = await app.admin('GET', '/classes/Kept/indexes')
    expect(body.indexes.map((index: { kind: string }) => index.kind)).toEqual(['class'])
    await app.admin('PATCH', '/classes/Kept', { fields: { n: { type: 'Number', autoIncrement: true } } })
    const counted = await app.request('POST', '/1.1/classes/Kept', { body: {}, query: { fetchWhenSave: 'true' } })
    expect(counted.body.n).toBe(1)
  })

  test.each([
    ['_User', 'username', 400, /cannot be deleted/],
    ['_File', 'key', 400, /cannot be deleted/],
    ['_User', 'nothing', 404, /no field 'nothing'/],
    ['Nowhere', 'nothing', 404, /Nowhere/],
  ])('rejects removing %s.%s', async (className, field, status, error) => {
    const refused = await app.admin('DELETE', `/classes/${className}/fields/${field}`)
    expect([refused.status, refused.body.error]).toEqual([status, expect.stringMatching(error)])
  })
})

describe('emptying a class', () => {
  test('keeps its fields, permissions and indexes, and resumes from a given position', async () => {
    await app.admin('POST', '/classes', {
      className: 'Log',
      fields: { n: { type: 'Number' } },
      permissions: { delete: 'master' },
      indexes: [{ fields: ['n'] }],
    })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await create('Log', { n }))
    const half = await app.admin('DELETE', `/classes/Log/objects?after=${ids.sort()[1]}`)
    expect(half.body).toEqual({ removed: 3, next: null })
    expect((await app.admin('DELETE', '/classes/Log/objects')).body).toEqual({ removed: 2, next: null })
    expect((await app.request('GET', '/1.1/classes/Log')).body).toEqual({ results: [] })
    expect(await show('Log')).toMatchObject({ permissions: { delete: 'master' }, indexes: ['n'] })
  })

  test('is rejected for built-in classes', async () => {
    const { status, body } = await app.admin('DELETE', '/classes/_User/objects')
    expect([status, body.error]).toEqual([400, expect.stringContaining('_User')])
  })
})
