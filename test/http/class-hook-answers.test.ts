import { beforeEach, describe, expect, it } from 'vitest'
import { hookSignature } from '../../src/hooks/hook-signature.ts'
import { makeApp } from '../support/app.ts'
import { useEngine } from '../support/engine-process.ts'
import { inputOf, json, standInEngine } from '../support/stand-in-engine.ts'

const app = await makeApp()
const engine = await standInEngine()
const answerWith = (answer: unknown) => engine.functions.set('Note/beforeSave', json(answer))
for (const name of ['__before_save_for_Note', '__before_update_for_Note', '__before_save_for__Role'])
  engine.functions.set(name, json({}))
engine.functions.set('Note/beforeUpdate', json({}))
await useEngine(app, { production: engine.url })

beforeEach(() => {
  engine.calls.length = 0
})

const SENT = { title: 'sent', stars: 2, bytes: { __type: 'Bytes', base64: 'AAEC' } }
const create = (body: object = SENT) => app.request('POST', '/1.1/classes/Note', { body })
/** Returns the stored fields of an object created from this body with this hook response. */
async function storedWhen(answer: unknown, body: object = SENT): Promise<object> {
  answerWith(answer)
  const made = await create(body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { rows } = await app.sql('SELECT data, acl FROM "Note" WHERE id = $1', [made.body.objectId])
  return { ...rows[0].data, ...(rows[0].acl && { ACL: rows[0].acl }) }
}

describe('the response of beforeSave', () => {
  it('replaces the fields', async () => {
    expect(await storedWhen({ title: 'changed', more: [1] })).toEqual({ title: 'changed', more: [1] })
  })

  it.each([
    ['the signature alone, as Java does', { __before: '1,ff' }],
    ['the request, as C# does', { object: SENT, user: { objectId: 'u' } }],
    ['the request without a user', { object: SENT }],
    ['bookkeeping alone', { objectId: 'x', createdAt: 'y', updatedAt: 'z', className: 'Note', __type: 'Object' }],
    ['nothing', {}],
    ['a text', 'true'],
    ['null', null],
    ['the Bytes of Python', { ...SENT, bytes: null }],
  ])('means unchanged when it is %s', async (_, answer) => {
    expect(await storedWhen(answer)).toEqual(SENT)
  })

  it('is stripped of bookkeeping members', async () => {
    const answer = {
      title: 'kept',
      objectId: 'x',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
      className: 'Other',
      __type: 'Object',
      _updatedKeys: ['title'],
      __before: '1,ff',
      __ignore_hooks: ['beforeSave'],
      _own: 1,
    }
    expect(await storedWhen(answer)).toEqual({ title: 'kept', _own: 1 })
  })

  it('sets the ACL of the object; without an ACL the class default does not return', async () => {
    const ACL = { u1: { read: true } }
    expect(await storedWhen({ title: 'a', ACL })).toEqual({ title: 'a', ACL })
    expect(await storedWhen({ title: 'a' }, { title: 'a', ACL })).toEqual({ title: 'a' })
  })

  it('is reduced to the stored form of files and pointers', async () => {
    const answer = {
      target: { __type: 'Object', className: 'Other', objectId: 'o1', createdAt: '2020-01-01T00:00:00.000Z', more: 1 },
      node: { __type: 'File', objectId: 'f1', name: 'a', url: 'http://x/a' },
      python: { __type: 'File', id: 'f2', name: 'a' },
    }
    expect(await storedWhen(answer)).toEqual({
      target: { __type: 'Pointer', className: 'Other', objectId: 'o1' },
      node: { __type: 'File', id: 'f1' },
      python: { __type: 'File', id: 'f2' },
    })
  })

  it('changes no relation', async () => {
    const member = { __type: 'Pointer', className: 'Other', objectId: 'o1' }
    const body = { title: 'a', liked: { __op: 'AddRelation', objects: [member] } }
    expect(await storedWhen({ title: 'b', liked: { __type: 'Relation', className: 'Elsewhere' } }, body)).toEqual({
      title: 'b',
    })
    expect(inputOf(engine.calls[0])).toEqual({ object: { title: 'a' } })
    const { rows } = await app.sql(`SELECT related_id FROM "$relations" WHERE owner_class = 'Note'`)
    expect(rows).toEqual([{ related_id: 'o1' }])
  })

  it.each([
    ['a key that is none', { 'a-b': 1 }, 105],
    ['a field of another type', { title: 5 }, 111],
    ['an ACL that is none', { title: 'a', ACL: { u1: { fly: true } } }, 123],
  ])('is validated like a request: %s', async (_, answer, code) => {
    await storedWhen(SENT)
    answerWith(answer)
    expect((await create()).body.code).toBe(code)
  })

  it('is validated by the rules of its class', async () => {
    const role = { name: 'admins', ACL: { '*': { read: true } } }
    const create = () => app.request('POST', '/1.1/roles', { body: role })
    engine.functions.set('_Role/beforeSave', json({ ...role, name: 'no name at all' }))
    expect((await create()).body.code).toBe(139)
    engine.functions.set('_Role/beforeSave', json({ name: 'admins' }))
    expect((await create()).body.error).toBe('Role ACL is required.')
    engine.functions.set('_Role/beforeSave', json({ ...role, kind: 'all' }))
    expect((await create()).status).toBe(201)
  })

  it('can set fields the caller cannot write', async () => {
    await storedWhen({ approved: true })
    const made = await app.admin('PATCH', '/classes/Note', { fields: { approved: { readOnly: true } } })
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    expect(await storedWhen({ approved: false }, { title: 'a' })).toEqual({ approved: false })
    expect((await create({ approved: true })).body.code).toBe(117)
  })
})

describe('a signature from before the hook key', () => {
  const signed = (kind: string, key: string) => hookSignature(`__${kind}_for_Note`, key, Date.now())

  it.each([
    ['a right one leaves the hooks of its kind out', signed('before', app.masterKey), 0],
    ['one made with another key is ignored', signed('before', app.appKey), 1],
    ['one of the other kind is ignored', signed('after', app.masterKey), 1],
  ])('%s, and is not stored', async (_, __before, calls) => {
    answerWith({ title: 'a' })
    const made = await create({ title: 'a', __before })
    expect(engine.calls).toHaveLength(calls)
    const path = `/1.1/classes/Note/${made.body.objectId}`
    await app.request('PUT', path, { body: { stars: 1, __before } })
    expect(engine.calls).toHaveLength(2 * calls)
    const { rows } = await app.sql('SELECT data FROM "Note" WHERE id = $1', [made.body.objectId])
    expect(rows).toEqual([{ data: { title: 'a', stars: 1 } }])
  })
})
