import { afterAll, describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'
import { startEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'
import { listen, loadLiveSdk } from '../support/live-query.ts'

const app = await makeApp()
const engine = await startEngine(
  app,
  `${NOTE}
  for (const hook of ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete'])
    AV.Cloud[hook]('Item', (request) => {
      note(hook, request)
      if (request.object.get('refuse') === hook) throw new AV.Cloud.Error('refused')
      if (hook === 'beforeSave') request.object.set('seen', true)
    })
  `,
  afterAll,
)

const run = (cql: string, options: RequestOptions = {}) =>
  app.request('GET', '/1.1/cloudQuery', { ...options, query: { cql, ...options.query } })
const make = async (className: string, body: object): Promise<string> =>
  (await app.request('POST', `/1.1/classes/${className}`, { body, master: true })).body.objectId
const read = async (className: string, id: string) =>
  (await app.request('GET', `/1.1/classes/${className}/${id}`, { master: true })).body
const count = async (className: string) =>
  (await app.request('GET', `/1.1/classes/${className}`, { master: true, query: { count: '1', limit: '0' } })).body
    .count
const ID = expect.stringMatching(/^[0-9a-f]{24}$/)
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refusal = (code: number, status = code) => ({ status, body: { code, error: expect.any(String) } })

describe('the response to a write', () => {
  it('matches the endpoint of the class, in place of the objects of a select', async () => {
    const inserted = await run("insert into Plain(a) values('\"'), ('b')")
    expect(inserted.body).toEqual({
      results: Array(2).fill({ objectId: ID, createdAt: DATE }),
      className: 'Plain',
    })
    const [{ objectId }] = inserted.body.results
    expect((await run(`update Plain set a = 'c' where objectId = '${objectId}'`)).body).toEqual({
      results: [{ objectId, updatedAt: DATE }],
      className: 'Plain',
    })
    expect((await run(`delete from Plain where objectId = '${objectId}'`)).body).toEqual({
      results: [],
      className: 'Plain',
    })
  })

  it('is the same in a batch and in a tunneled request', async () => {
    const path = '/1.1/cloudQuery'
    const batched = await app.request('POST', '/1.1/batch', {
      body: {
        requests: [
          { method: 'GET', path, params: { cql: 'insert into Plain(n) values(?), (2)', pvalues: [1] } },
          { method: 'GET', path, params: { cql: 'delete from Plain' } },
        ],
      },
    })
    const results = Array(2).fill({ objectId: ID, createdAt: DATE })
    expect(batched.body).toEqual([
      { success: { results, className: 'Plain' } },
      { error: { code: 300, error: expect.any(String) } },
    ])
    const tunnelled = await app.request('POST', path, {
      headers: { 'content-type': 'text/plain' },
      body: { _method: 'GET', cql: 'insert into Plain(n) values(?), (2)', pvalues: [3] },
    })
    expect(tunnelled).toMatchObject({ status: 200, body: { results, className: 'Plain' } })
    expect(await read('Plain', tunnelled.body.results[0].objectId)).toMatchObject({ n: 3 })
  })
})

describe('a write', () => {
  it.each([
    ['no key', { 'x-lc-key': '' }],
    ['a wrong key', { 'x-lc-key': 'wrong' }],
    ['a wrong master key', { 'x-lc-key': 'wrong,master' }],
  ])('with %s is rejected', async (_what, headers) => {
    const id = await make('Locked', { n: 1 })
    for (const cql of [
      'insert into Locked(n) values(2)',
      `update Locked set n = 2 where objectId = '${id}'`,
      `delete from Locked where objectId = '${id}'`,
    ])
      expect(await run(cql, { headers })).toMatchObject(refusal(401))
    expect(await read('Locked', id)).toMatchObject({ n: 1 })
    await app.request('DELETE', `/1.1/classes/Locked/${id}`)
  })

  it('obeys the class permissions', async () => {
    const id = await make('Closed', { n: 1 })
    const permissions = { create: 'master', update: 'master', delete: 'master', addField: 'master' }
    await app.admin('PATCH', '/classes/Closed', { permissions })
    const writes = [
      'insert into Closed(n) values(2)',
      'insert into Closed(n) values(2), (3)',
      `update Closed set n = 2 where objectId = '${id}'`,
      `delete from Closed where objectId = '${id}'`,
    ]
    for (const cql of writes) expect(await run(cql)).toMatchObject(refusal(403))
    expect(await count('Closed')).toBe(1)
    for (const cql of writes) expect(await run(cql, { master: true })).toMatchObject({ status: 200 })
    expect(await count('Closed')).toBe(3)
  })

  it('obeys the permission to add fields, and read-only fields', async () => {
    const id = await make('Fixed', { n: 1, fixed: 1 })
    await app.admin('PATCH', '/classes/Fixed', {
      permissions: { addField: 'master' },
      fields: { fixed: { readOnly: true } },
    })
    expect(await run('insert into Fixed(more) values(1), (2)')).toMatchObject(refusal(403))
    expect(await run(`update Fixed set more = 1 where objectId = '${id}'`)).toMatchObject(refusal(403))
    expect(await run('insert into Fixed(fixed) values(1), (2)')).toMatchObject(refusal(117, 400))
    expect(await run(`update Fixed set fixed = 2 where objectId = '${id}'`)).toMatchObject(refusal(117, 400))
    expect(await count('Fixed')).toBe(1)
  })

  it('obeys the ACL of the object', async () => {
    const owner = await app.makeUser('owner')
    const other = await app.makeUser('other')
    const acl = `{"*": {read: true}, "${owner.id}": {write: true}}`
    const { body } = await run(`insert into Owned(n, ACL) values(1, ${acl}), (2, ${acl})`)
    const [{ objectId: first }, { objectId: second }] = body.results
    for (const session of ['', other.session]) {
      expect(await run(`update Owned set n = 5 where objectId = '${first}'`, { session })).toMatchObject(refusal(403))
      expect(await run(`delete from Owned where objectId = '${second}'`, { session })).toMatchObject(refusal(403))
    }
    const { session } = owner
    expect(await run(`update Owned set n = 5 where objectId = '${first}'`, { session })).toMatchObject({ status: 200 })
    expect(await run(`delete from Owned where objectId = '${second}'`, { session })).toMatchObject({ status: 200 })
    expect([await read('Owned', first), await count('Owned')]).toEqual([expect.objectContaining({ n: 5 }), 1])
  })

  it('sets own fields named like built-in object properties', async () => {
    const { body } = await run('insert into Odd(__proto__, constructor) values({polluted: 1}, {prototype: 2})')
    const object = await read('Odd', body.results[0].objectId)
    expect(Object.keys(object).toSorted()).toEqual(['constructor', 'createdAt', 'objectId', 'updatedAt'])
    expect(object.constructor).toEqual({ prototype: 2 })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('hooks', () => {
  const hooksOf = (name: string) =>
    notesOf(engine)
      .filter(({ object }) => object.name === name)
      .map(({ hook }) => hook)

  it('run for every write', async () => {
    const { body } = await run("insert into Item(name) values('one')")
    const id: string = body.results[0].objectId
    expect(await read('Item', id)).toMatchObject({ name: 'one', seen: true })
    await run(`update Item set n = 1 where objectId = '${id}'`)
    await run(`delete from Item where objectId = '${id}'`)
    const all = ['afterDelete', 'afterSave', 'afterUpdate', 'beforeDelete', 'beforeSave', 'beforeUpdate']
    await expect.poll(() => hooksOf('one').toSorted(), PATIENTLY).toEqual(all)
  })

  it('run for each row, and one rejection rejects all rows', async () => {
    const before = await count('Item')
    const reply = await run("insert into Item(name, refuse) values('r1', ''), ('r2', 'beforeSave'), ('r3', '')")
    expect(reply).toMatchObject(refusal(142, 400))
    expect(await count('Item')).toBe(before)
    const { body } = await run("insert into Item(name) values('s1'), ('s2')")
    for (const { objectId } of body.results) expect(await read('Item', objectId)).toMatchObject({ seen: true })
    await expect.poll(() => hooksOf('s1').toSorted(), PATIENTLY).toEqual(['afterSave', 'beforeSave'])
    await expect.poll(() => hooksOf('s2').toSorted(), PATIENTLY).toEqual(['afterSave', 'beforeSave'])
    // After hooks of a class run in order, so those of the first insert would have been called by now.
    expect([hooksOf('r1'), hooksOf('r2'), hooksOf('r3')]).toEqual([['beforeSave'], ['beforeSave'], []])
  })

  it('reject updates and deletes', async () => {
    const id = await make('Item', { name: 'stays', refuse: 'beforeDelete' })
    expect(await run(`delete from Item where objectId = '${id}'`)).toMatchObject(refusal(142, 400))
    expect(await run(`update Item set refuse = 'beforeUpdate' where objectId = '${id}'`)).toMatchObject(
      refusal(142, 400),
    )
    expect(await read('Item', id)).toMatchObject({ refuse: 'beforeDelete' })
  })
})

it('notifies live queries of every write', async () => {
  const sdk = loadLiveSdk(app)
  await make('Watched', { n: 0 })
  const liveQuery = await new sdk.Query('Watched').greaterThan('n', 0).subscribe()
  const heard = listen(liveQuery)
  const { body } = await run('insert into Watched(n) values(1), (2)')
  const [first, second] = body.results.map(({ objectId }: { objectId: string }) => objectId)
  await run(`update Watched set n = 3 where objectId = '${first}'`)
  await run(`delete from Watched where objectId = '${second}'`)
  // Changes of different objects can be notified in any order.
  const notifiedOf = (object: string) => heard.filter(({ id }) => id === object).map(({ op }) => op)
  await expect.poll(() => notifiedOf(first), PATIENTLY).toEqual(['create', 'update'])
  await expect.poll(() => notifiedOf(second), PATIENTLY).toEqual(['create', 'delete'])
  await liveQuery.unsubscribe()
})
