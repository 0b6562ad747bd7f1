import { afterEach, describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

const app = await makeApp()
const owner = await app.makeUser('owner')
const other = await app.makeUser('other')

const post = (path: string, body: unknown, session?: string) =>
  app.request('POST', `/1.1/${path}`, { body, ...(session !== undefined && { session }) })
const put = (path: string, body: unknown, session?: string) =>
  app.request('PUT', `/1.1/${path}`, { body, ...(session !== undefined && { session }) })
const aclOf = async (path: string) => {
  await app.admin('PATCH', '/settings', { storage: { returnAclInQueries: true } })
  return (await app.request('GET', `/1.1/${path}`, { master: true, query: { returnACL: 'true' } })).body.ACL
}

const PUBLIC = { '*': { read: true, write: true } }
const MINE = { [owner.id]: { read: true, write: true } }
const NONE: [string, unknown][] = [
  ['null', null],
  ['Delete', { __op: 'Delete' }],
]

// protocol/conventions, Requests: `ACL: null` means no ACL.
describe.each(NONE)('an ACL that is %s', (_form, ACL) => {
  it('creates an object like one without an ACL', async () => {
    const { status, body } = await post('classes/Memo', { text: 'a', ACL })
    expect(status).toBe(201)
    expect(await aclOf(`classes/Memo/${body.objectId}`)).toEqual(PUBLIC)
  })

  it('removes the ACL of an object, for callers with write access', async () => {
    const { objectId } = (await post('classes/Memo', { text: 'a', ACL: MINE })).body
    expect(await put(`classes/Memo/${objectId}`, { ACL }, other.session)).toMatchObject({ status: 403 })
    expect(await aclOf(`classes/Memo/${objectId}`)).toEqual(MINE)
    expect(await put(`classes/Memo/${objectId}`, { ACL }, owner.session)).toMatchObject({ status: 200 })
    expect(await aclOf(`classes/Memo/${objectId}`)).toEqual(PUBLIC)
    expect(await put(`classes/Memo/${objectId}`, { text: 'b' }, other.session)).toMatchObject({ status: 200 })
  })

  it('means no ACL in a batch, in batch/save and for several objects at once', async () => {
    const create = { method: 'POST', path: '/1.1/classes/Memo', body: { ACL } }
    const made = (await post('batch', { requests: [create, create] })).body
    const { objectId } = (await post('classes/Memo', { ACL: MINE })).body
    const update = { method: 'PUT', path: `/1.1/classes/Memo/${objectId}`, body: { ACL } }
    expect((await post('batch', { requests: [update] }, owner.session)).body).toMatchObject([{ success: { objectId } }])
    const graph = { requests: [{ ...create, body: { ACL, __internalId: 'c1', __children: [] } }] }
    const saved = (await post('batch/save', graph)).body.c1
    for (const id of [made[0].success.objectId, made[1].success.objectId, objectId, saved.objectId])
      expect(await aclOf(`classes/Memo/${id}`)).toEqual(PUBLIC)
  })

  it('means no ACL for users, installations and conversations', async () => {
    const user = (await post('users', { username: `user ${_form}`, password: 'p', ACL })).body
    expect(await put(`users/${user.objectId}`, { ACL }, user.sessionToken)).toMatchObject({ status: 200 })
    const device = (await post('installations', { deviceType: 'android', installationId: _form, ACL })).body
    expect(await post('installations', { installationId: _form, ACL })).toMatchObject({ status: 200 })
    expect(await put(`installations/${device.objectId}`, { ACL })).toMatchObject({ status: 200 })
    const conversation = await app.request('POST', '/1.1/classes/_Conversation', {
      body: { name: 'talk', ACL },
      master: true,
    })
    expect(conversation.status).toBe(201)
    expect(await aclOf(`users/${user.objectId}`)).toEqual(PUBLIC)
    expect(await aclOf(`installations/${device.objectId}`)).toEqual(PUBLIC)
    expect(await aclOf(`classes/_Conversation/${conversation.body.objectId}`)).toEqual(PUBLIC)
  })

  it('is rejected for a role, which would be open for everyone without one', async () => {
    const refusal = { status: 400, body: { code: 1, error: 'Role ACL is required.' } }
    expect(await post('roles', { name: `role_${_form}`, ACL })).toMatchObject(refusal)
    const role = (await post('roles', { name: `role_${_form}`, ACL: MINE })).body
    expect(await put(`roles/${role.objectId}`, { ACL }, owner.session)).toMatchObject(refusal)
    expect(await aclOf(`roles/${role.objectId}`)).toEqual(MINE)
  })

  describe('in a class with a default ACL', () => {
    afterEach(() => app.admin('PATCH', '/classes/Note', { defaultAcl: null }))

    it('keeps the default ACL', async () => {
      await post('classes/Note', { text: 'the class is there' })
      await app.admin('PATCH', '/classes/Note', { defaultAcl: { _owner: { read: true, write: true } } })
      const made = (await post('classes/Note', { ACL }, owner.session)).body
      expect(await aclOf(`classes/Note/${made.objectId}`)).toEqual(MINE)
      await put(`classes/Note/${made.objectId}`, { ACL: PUBLIC }, owner.session)
      expect(await put(`classes/Note/${made.objectId}`, { ACL, text: 'b' }, owner.session)).toMatchObject({
        status: 200,
      })
      expect(await aclOf(`classes/Note/${made.objectId}`)).toEqual(MINE)
      expect(await put(`classes/Note/${made.objectId}`, { text: 'c' }, other.session)).toMatchObject({ status: 403 })
    })
  })
})

it('an ACL that is an empty list is an empty object: only the master key has access', async () => {
  const { objectId } = (await post('classes/Memo', { ACL: [] })).body
  expect(await aclOf(`classes/Memo/${objectId}`)).toEqual({})
  expect(await put(`classes/Memo/${objectId}`, { text: 'b' }, owner.session)).toMatchObject({ status: 403 })
  const { body } = await post('classes/Memo', { ACL: { [owner.id]: [], '*': { read: true } } })
  expect(await aclOf(`classes/Memo/${body.objectId}`)).toEqual({ '*': { read: true } })
})

it.each([['text'], [5], [[1]], [{ __op: 'Increment', amount: 1 }], [{ '*': 'read' }]])(
  'rejects an ACL that is %j with error 123',
  async (ACL) => {
    expect(await post('classes/Memo', { ACL })).toMatchObject({ status: 400, body: { code: 123 } })
  },
)
