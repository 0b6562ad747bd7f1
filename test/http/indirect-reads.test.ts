import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

/** A caller without direct read access gets no indirect access either. */
const app = await makeApp()
const { id: mia, session } = await app.makeUser('mia')

async function create(className: string, fields: object): Promise<string> {
  const { status, body } = await app.request('POST', `/1.1/classes/${className}`, { body: fields, master: true })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.objectId
}

async function close(className: string, permissions: object) {
  expect((await app.admin('PATCH', `/classes/${className}`, { permissions })).status).toBe(200)
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

describe('include', async () => {
  const secret = await create('Secret', { text: 'hidden' })
  const note = await create('Note', { secret: pointer('Secret', secret), list: [pointer('Secret', secret)] })
  const include = { query: { include: 'secret,list' } }

  it('keeps the pointer to an object of a class closed to the caller', async () => {
    expect((await app.request('GET', `/1.1/classes/Note/${note}`, include)).body.secret.text).toBe('hidden')
    await close('Secret', { get: 'users' })
    const plain = pointer('Secret', secret)
    expect((await app.request('GET', `/1.1/classes/Note/${note}`, include)).body).toMatchObject({
      secret: plain,
      list: [plain],
    })
    const found = await app.request('GET', '/1.1/classes/Note', include)
    expect(found.body.results[0].secret).toEqual(plain)
    expect(found.body.results[0].list).toEqual([plain])
  })

  it('expands it for callers with access to the class', async () => {
    for (const who of [{ session }, { master: true }]) {
      const { body } = await app.request('GET', `/1.1/classes/Note/${note}`, { ...include, ...who })
      expect(body.secret.text).toBe('hidden')
      expect(body.list[0].text).toBe('hidden')
    }
  })
})

describe('$relatedTo', async () => {
  const members = { __op: 'AddRelation', objects: [pointer('Person', await create('Person', { name: 'Leo' }))] }
  const ofMia = await create('Team', { members, ACL: { [mia]: { read: true } } })
  const find = (className: string, id: string, key: string, who: object) =>
    app.request('GET', '/1.1/classes/Person', {
      query: { where: JSON.stringify({ $relatedTo: { object: pointer(className, id), key } }) },
      ...who,
    })

  it('returns the members to callers that can read the owner', async () => {
    expect((await find('Team', ofMia, 'members', {})).body.results).toEqual([])
    for (const who of [{ session }, { master: true }]) {
      expect((await find('Team', ofMia, 'members', who)).body.results).toMatchObject([{ name: 'Leo' }])
    }
  })

  it('is rejected when the class of the owner is closed', async () => {
    const id = await create('Closed', { members })
    await close('Closed', { get: 'master' })
    expect(await find('Closed', id, 'members', {})).toMatchObject({ status: 403, body: { code: 403 } })
    expect((await find('Closed', id, 'members', { master: true })).body.results).toHaveLength(1)
  })

  it('returns nothing for an unknown class', async () => {
    expect((await find('Nowhere', 'a1', 'members', {})).body.results).toEqual([])
  })
})

describe('a write by a caller without read access', async () => {
  const acl = { [mia]: { read: true, write: true }, '*': { write: true } }

  it('returns nothing of the object', async () => {
    const id = await create('Box', { n: 41, ACL: acl })
    const options = { query: { fetchWhenSave: 'true' }, body: { n: { __op: 'Increment', amount: 1 } } }
    const blind = await app.request('PUT', `/1.1/classes/Box/${id}`, options)
    expect(blind.status).toBe(200)
    expect(Object.keys(blind.body).toSorted()).toEqual(['objectId', 'updatedAt'])
    expect((await app.request('PUT', `/1.1/classes/Box/${id}`, { ...options, session })).body.n).toBe(43)
  })

  it.each(['PUT', 'DELETE'])('%s with a condition fails, whether the object meets it or not', async (method) => {
    const id = await create('Box', { n: 7, ACL: acl })
    for (const n of [7, 8]) {
      const answer = await app.request(method, `/1.1/classes/Box/${id}`, {
        query: { where: JSON.stringify({ n }) },
        body: { m: 1 },
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 305 } })
    }
    const query = { where: JSON.stringify({ n: 7 }) }
    expect((await app.request(method, `/1.1/classes/Box/${id}`, { query, body: { m: 1 }, session })).status).toBe(200)
  })

  it.each(['PUT', 'DELETE'])('%s with a condition on a class closed for get is rejected', async (method) => {
    const id = await create('Vault', { n: 7 })
    await close('Vault', { get: 'master' })
    const query = { where: JSON.stringify({ n: 7 }) }
    const answer = await app.request(method, `/1.1/classes/Vault/${id}`, { query, body: { m: 1 } })
    expect(answer).toMatchObject({ status: 403, body: { code: 403 } })
  })
})
