import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'
import { startEngine, useEngine } from '../support/engine-process.ts'
import { NOTE, notesOf, PATIENTLY } from '../support/hook-notes.ts'

const app = await makeApp()
const hookKey: string = (await app.admin('GET', '')).body.hookKey

const HOOKS = ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate', 'beforeDelete', 'afterDelete']
/** Returns cloud code with all hooks for every class; the before hooks reject as needed. */
const code = (classes: readonly string[]) => `${NOTE}
  for (const className of ${JSON.stringify(classes)})
    for (const hook of ${JSON.stringify(HOOKS)})
      AV.Cloud[hook](className, (request) => {
        note(hook, request)
        if (hook.startsWith('before') && request.object.get('refuse') === hook) throw new AV.Cloud.Error('refused')
      })
`
const CLASSES = ['Item', 'Closed', 'Fixed', '_Installation', '_Role']
const engine = await startEngine(app, code(CLASSES), afterAll)

const write = (method: string, path: string, body?: unknown, options: RequestOptions = {}) =>
  app.request(method, `/1.1${path}`, { ...(body !== undefined && { body }), ...options })
const make = async (body: object, className = 'Item'): Promise<string> => {
  const reply = await write('POST', `/classes/${className}`, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body.objectId
}
const read = async (id: string, className = 'Item') => (await write('GET', `/classes/${className}/${id}`)).body
/** Returns the hooks called for objects with this name, in order. */
const hooksOf = (name: string) =>
  notesOf(engine)
    .filter(({ object }) => object.name === name)
    .map(({ hook }) => hook)
/** Waits until the hooks were called: after hooks of a class run in order. */
const told = async (name: string, hooks: readonly string[]) =>
  expect.poll(() => hooksOf(name).toSorted(), PATIENTLY).toEqual(hooks.toSorted())

describe('a batch', () => {
  it('runs the hooks of its items in order; a rejected item does not stop the others', async () => {
    const item = (name: string, more = {}) => ({ method: 'POST', path: '/1.1/classes/Item', body: { name, ...more } })
    const requests = [item('b1'), item('b2', { refuse: 'beforeSave' }), item('b3')]
    const { body } = await write('POST', '/batch', { requests })
    expect(body).toEqual([
      { success: { objectId: expect.any(String), createdAt: expect.any(String) } },
      { error: { code: 142, error: 'Cloud Code validation failed. Error detail : refused' } },
      { success: { objectId: expect.any(String), createdAt: expect.any(String) } },
    ])
    const before = notesOf(engine, { hook: 'beforeSave' }).map(({ object }) => object.name)
    expect(before.filter((name) => /^b\d$/.test(name))).toEqual(['b1', 'b2', 'b3'])
    await told('b1', ['beforeSave', 'afterSave'])
    await told('b3', ['beforeSave', 'afterSave'])
    expect(hooksOf('b2')).toEqual(['beforeSave'])
  })

  it('runs the hooks of updates and deletes, and honors __ignore_hooks in their bodies', async () => {
    const id = await make({ name: 'batched' })
    const path = `/1.1/classes/Item/${id}`
    const ignoring = { __ignore_hooks: ['beforeDelete'] }
    const requests = [
      { method: 'PUT', path, body: { n: 1 } },
      { method: 'DELETE', path, body: ignoring },
    ]
    const { body } = await write('POST', '/batch', { requests }, { headers: { 'x-lc-hook-key': hookKey } })
    expect(body).toEqual([{ success: expect.anything() }, { success: {} }])
    await told('batched', ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate', 'afterDelete'])
  })

  it('runs hooks for an object graph', async () => {
    const requests = [
      { method: 'POST', path: '/1.1/classes/Item', body: { __internalId: '1', name: 'graph', refuse: 'beforeSave' } },
    ]
    const { body } = await write('POST', '/batch/save', { requests })
    expect(body.code).toBe(142)
  })
})

describe('a delete', () => {
  it('of several ids runs the hooks of each object', async () => {
    const ids = [await make({ name: 'd1' }), await make({ name: 'd2' })]
    expect((await write('DELETE', `/classes/Item/${ids.join(',')}`)).body).toEqual({})
    for (const name of ['d1', 'd2']) await told(name, ['beforeSave', 'afterSave', 'beforeDelete', 'afterDelete'])
  })

  it('that is rejected keeps the object', async () => {
    const id = await make({ name: 'kept', refuse: 'beforeDelete' })
    expect((await write('DELETE', `/classes/Item/${id}`)).body.code).toBe(142)
    expect(await read(id)).toMatchObject({ name: 'kept' })
    await told('kept', ['beforeSave', 'afterSave', 'beforeDelete'])
  })
})

describe('an update', () => {
  it('that is rejected leaves the object and its class unchanged', async () => {
    const id = await make({ name: 'unchanged', n: 1, refuse: 'beforeUpdate' })
    expect((await write('PUT', `/classes/Item/${id}`, { n: 2, onlyRefused: true })).body.code).toBe(142)
    expect((await read(id)).n).toBe(1)
    const { body } = await write('GET', '/schemas/Item', undefined, { master: true })
    expect(body).toHaveProperty('n')
    expect(body).not.toHaveProperty('onlyRefused')
  })

  it('of the ACL lists it among the updated keys', async () => {
    const id = await make({ name: 'reassigned' })
    await write('PUT', `/classes/Item/${id}`, { 'parts.a': 1, ACL: { '*': { read: true } } })
    await told('reassigned', ['beforeSave', 'afterSave', 'beforeUpdate', 'afterUpdate'])
    for (const hook of ['beforeUpdate', 'afterUpdate']) {
      const [note] = notesOf(engine, { id, hook })
      expect(note!.updatedKeys!.toSorted()).toEqual(['ACL', 'parts'])
      expect(note!.object).toMatchObject({ parts: { a: 1 }, ACL: { '*': { read: true } } })
    }
  })
})

describe('a condition', () => {
  it('that does not hold runs no after hook', async () => {
    const id = await make({ name: 'conditional', n: 1 })
    const where = (n: number) => ({ query: { where: JSON.stringify({ n }) } })
    expect((await write('PUT', `/classes/Item/${id}`, { n: 5 }, where(9))).body.code).toBe(305)
    expect((await write('DELETE', `/classes/Item/${id}`, undefined, where(9))).body.code).toBe(305)
    expect((await write('PUT', `/classes/Item/${id}`, { n: 5 }, where(1))).status).toBe(200)
    await told('conditional', [
      'beforeSave',
      'afterSave',
      'beforeUpdate',
      'beforeDelete',
      'beforeUpdate',
      'afterUpdate',
    ])
  })
})

describe('no hook runs', () => {
  it('for an object that does not exist', async () => {
    expect((await write('PUT', '/classes/Item/nowhere', { name: 'missing' })).body.code).toBe(1)
    expect((await write('DELETE', '/classes/Item/nowhere')).status).toBe(200)
    const id = await make({ name: 'afterwards' })
    await told('afterwards', ['beforeSave', 'afterSave'])
    expect(notesOf(engine, { id: 'nowhere' })).toEqual([])
    expect(hooksOf('missing')).toEqual([])
    expect(id).toEqual(expect.any(String))
  })

  it('for a caller without write permission', async () => {
    const id = await make({ name: 'protected', ACL: { '*': { read: true } } })
    expect((await write('PUT', `/classes/Item/${id}`, { n: 1 })).status).toBe(403)
    expect((await write('DELETE', `/classes/Item/${id}`)).status).toBe(403)
    await told('protected', ['beforeSave', 'afterSave'])
    await make({ name: 'closed' }, 'Closed')
    expect((await app.admin('PATCH', '/classes/Closed', { permissions: { create: 'master' } })).status).toBe(200)
    expect((await write('POST', '/classes/Closed', { name: 'shut out' })).status).toBe(403)
    expect(hooksOf('shut out')).toEqual([])
  })

  it('for new client fields when clients cannot add fields', async () => {
    const id = await make({ name: 'fixed' }, 'Fixed')
    await told('fixed', ['beforeSave', 'afterSave'])
    expect((await app.admin('PATCH', '/classes/Fixed', { permissions: { addField: 'master' } })).status).toBe(200)
    expect((await write('POST', '/classes/Fixed', { name: 'fixed', more: 1 })).status).toBe(403)
    expect((await write('PUT', `/classes/Fixed/${id}`, { more: 1 })).status).toBe(403)
    expect(hooksOf('fixed')).toEqual(['beforeSave', 'afterSave'])
  })

  it('for devices', async () => {
    const device = { deviceType: 'ios', deviceToken: 'a'.repeat(64), name: 'device' }
    expect((await write('POST', '/installations', device)).status).toBe(201)
    await make({ name: 'after the device' })
    await told('after the device', ['beforeSave', 'afterSave'])
    expect(hooksOf('device')).toEqual([])
  })
})

describe('__ignore_hooks', () => {
  const all = { __ignore_hooks: HOOKS }
  const proofs: [string, RequestOptions][] = [
    ['the hook key', { headers: { 'x-lc-hook-key': hookKey } }],
    ['the master key', { master: true }],
  ]

  it.each(proofs)('with %s skips the hooks, and is not stored', async (proof, options) => {
    const name = `ignored with ${proof}`
    const { body } = await write('POST', '/classes/Item', { name, refuse: 'beforeSave', ...all }, options)
    const path = `/classes/Item/${body.objectId}`
    expect((await write('PUT', path, { n: 1, ...all }, options)).status).toBe(200)
    expect(await read(body.objectId)).toEqual({
      objectId: body.objectId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      name,
      n: 1,
      refuse: 'beforeSave',
    })
    expect((await write('DELETE', path, all, options)).status).toBe(200)
    await make({ name: `after ${name}` })
    await told(`after ${name}`, ['beforeSave', 'afterSave'])
    expect(hooksOf(name)).toEqual([])
  })

  it.each([
    ['no key', {}],
    ['a wrong key', { headers: { 'x-lc-hook-key': 'wrong' } }],
  ])('with %s has no effect, and is not stored', async (proof, options) => {
    const name = `not ignored with ${proof}`
    const { status, body } = await write('POST', '/classes/Item', { name, ...all }, options)
    expect(status).toBe(201)
    const path = `/classes/Item/${body.objectId}`
    await write('PUT', path, { n: 1, ...all, __before: '1,f', __after: '1,f' }, options)
    expect(Object.keys(await read(body.objectId)).toSorted()).toEqual([
      'createdAt',
      'n',
      'name',
      'objectId',
      'updatedAt',
    ])
    await write('DELETE', path, all, options)
    await told(name, HOOKS)
  })
})

describe('roles', () => {
  it('run hooks on both of their paths', async () => {
    const role = (name: string, more = {}) => ({ name, ACL: { '*': { read: true, write: true } }, ...more })
    for (const [index, path] of ['/roles', '/classes/_Role'].entries()) {
      const name = `role${index}`
      expect((await write('POST', path, role(`${name}_refused`, { refuse: 'beforeSave' }))).body.code).toBe(142)
      const { objectId } = (await write('POST', path, role(name))).body
      expect((await write('PUT', `${path}/${objectId}`, { n: 1 })).status).toBe(200)
      expect((await write('DELETE', `${path}/${objectId}`)).status).toBe(200)
      await told(name, HOOKS)
    }
  })
})

describe('the environment', () => {
  it('is selected by X-LC-Prod, and has no hooks without an engine', async () => {
    const staging = { headers: { 'x-lc-prod': '0' } }
    const refused = { name: 'staged', refuse: 'beforeSave' }
    expect((await write('POST', '/classes/Item', refused, staging)).status).toBe(201)
    const other = await startEngine(
      app,
      `AV.Cloud.beforeSave('Item', ({ object }) => object.set('staged', process.env.LEANCLOUD_APP_ENV))`,
      onTestFinished,
      { environment: 'staging' },
    )
    const { body } = await write('POST', '/classes/Item', refused, staging)
    expect(await read(body.objectId), other.output()).toMatchObject({ staged: 'stage' })
    expect((await write('POST', '/classes/Item', refused)).body.code).toBe(142)
    await useEngine(app, { staging: null })
  })
})
