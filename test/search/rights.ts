import { beforeAll, describe, expect, it } from 'vitest'
import type { RequestOptions, TestApp } from '../support/app.ts'
import { indexed, makeSearched } from '../support/search.ts'

type Who = Pick<RequestOptions, 'session' | 'master'>

const stranger: Who = {}
const master: Who = { master: true }

const only = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { read: true, write: true }]))

interface User {
  readonly id: string
  readonly session: string
}

/** Declares tests of permissions in searches, for every kind of index. */
export function describeRights(app: TestApp, ann: User, bob: User): void {
  async function add(name: string, fields: object, who: Who = master): Promise<string> {
    return (await app.request('POST', `/1.1/classes/${name}`, { body: fields, ...who })).body.objectId as string
  }

  async function search(query: Record<string, string>, who: Who) {
    const { status, body } = await app.request('GET', '/1.1/search/select', { query, ...who })
    return { status, ...body }
  }

  async function found(q: string, who: Who, query: Record<string, string> = { clazz: 'Diary' }): Promise<string[]> {
    const { results, hits } = await search({ q, ...query }, who)
    expect(hits).toBe(results.length)
    return results.map(({ text }: { text: string }) => text)
  }

  beforeAll(async () => {
    await makeSearched(app, 'Diary', { text: 'String', secret: { type: 'String', hidden: true }, tags: 'Array' })
    const role = { name: 'editors', ACL: { '*': { read: true } } }
    const users = { __op: 'AddRelation', objects: [{ __type: 'Pointer', className: '_User', objectId: bob.id }] }
    await app.request('POST', '/1.1/roles', { body: { ...role, users }, master: true })
    await add('Diary', { text: 'moon of all', secret: 'password' })
    await add('Diary', { text: 'moon of ann', ACL: only(ann.id) })
    await add('Diary', { text: 'moon of bob', ACL: only(bob.id) })
    await add('Diary', { text: 'moon of both', ACL: only(ann.id, bob.id) })
    await add('Diary', { text: 'moon of editors', ACL: only('role:editors') })
    await add('Diary', { text: 'moon of nobody', ACL: {} })
    await indexed(app)
  })

  describe('access to found objects', () => {
    it.each<[string, Who, string[]]>([
      ['a stranger', stranger, ['all']],
      ['its owner', { session: ann.session }, ['all', 'ann', 'both']],
      ['who has a role', { session: bob.session }, ['all', 'bob', 'both', 'editors']],
      ['the master key', master, ['all', 'ann', 'bob', 'both', 'editors', 'nobody']],
    ])('%s', async (_, who, expected) => {
      for (const q of ['moon', '*', 'mo?n', 'text:mooon~', 'NOT sun', '_exists_:text', 'createdAt:[2000-01-01 TO *]'])
        expect((await found(q, who)).sort()).toEqual(expected.map((name) => `moon of ${name}`))
      expect(await found('nobody', who)).toHaveLength(who.master ? 1 : 0)
    })

    it('follows the stored object, not the indexed one', async () => {
      const id = await add('Diary', { text: 'comet', ACL: only(ann.id) })
      await indexed(app)
      expect(await found('comet', { session: ann.session })).toEqual(['comet'])
      await app.request('PUT', `/1.1/classes/Diary/${id}`, { body: { ACL: only(bob.id) }, master: true })
      expect(await found('comet', { session: ann.session })).toEqual([])
      await indexed(app)
      expect(await found('comet', { session: bob.session })).toEqual(['comet'])
      await app.request('DELETE', `/1.1/classes/Diary/${id}`, { master: true })
      expect(await found('comet', master)).toEqual([])
    })

    it('is not revealed by the order of others', async () => {
      const texts = ['lake lake', 'hill', 'lake and hill and more', 'hill and other words of the land']
      for (const text of texts) await add('Diary', { text })
      await indexed(app)
      const before = await found('lake hill', stranger)
      for (let n = 0; n < 30; n++) await add('Diary', { text: 'hill', ACL: only(ann.id) })
      await indexed(app)
      expect(await found('lake hill', stranger)).toEqual(before)
    })

    it('is not widened by the sid of another caller', async () => {
      const { sid } = await search({ q: 'moon', clazz: 'Diary', order: 'text', limit: '1' }, { session: ann.session })
      const of = async (who: Who) => {
        const { results } = await search({ q: 'moon', clazz: 'Diary', order: 'text', sid }, who)
        return results.map(({ text }: { text: string }) => text)
      }
      expect(await of({ session: ann.session })).toEqual(['moon of ann', 'moon of both'])
      expect(await of(stranger)).toEqual([])
      expect(await of({ session: bob.session })).toEqual(['moon of bob', 'moon of both'])
    })

    it('is not revealed by similar objects or by word frequencies', async () => {
      const id = await add('Diary', { text: 'fjord fjord', ACL: only(ann.id) })
      await add('Diary', { text: 'fjord' })
      await indexed(app)
      const mlt = async (query: Record<string, string>, who: Who) =>
        (
          await app.request('GET', '/1.1/search/mlt', {
            query: { clazz: 'Diary', min_doc_freq: '1', ...query },
            ...who,
          })
        ).body.results
      expect(await mlt({ likeObjectIds: id }, { session: ann.session })).toHaveLength(1)
      expect(await mlt({ likeObjectIds: id }, stranger)).toEqual([])
      expect(await mlt({ like: 'fjord fjord', min_doc_freq: '2' }, { session: ann.session })).toHaveLength(2)
      expect(await mlt({ like: 'fjord fjord', min_doc_freq: '2' }, stranger)).toEqual([])
    })
  })

  describe('a hidden field', () => {
    it('is found, returned and highlighted only for the master key', async () => {
      expect(await found('password', stranger)).toEqual([])
      expect(await found('passw*', { session: ann.session })).toEqual([])
      expect(await found('password', master)).toEqual(['moon of all'])
      const query = { q: 'moon password', clazz: 'Diary', highlights: '*' }
      const { results } = await search(query, stranger)
      expect(results[0]._highlight).toEqual({ text: ['<em>moon</em> of all'] })
      expect(results[0]).not.toHaveProperty('secret')
      expect((await search({ ...query, highlights: 'secret' }, stranger)).results[0]._highlight).toBeNull()
      expect((await search(query, master)).results[0]._highlight).toMatchObject({ secret: ['<em>password</em>'] })
    })

    it.each([
      { q: 'secret:password' },
      { q: 'moon -secret:password' },
      { q: 'secret:[a TO z]' },
      { q: '_exists_:secret' },
      { q: 'secret:pass*' },
      { q: 'moon', order: 'secret' },
      { q: 'moon', sort: '[{"secret":"asc"}]' },
    ])('rejects it in queries: %j', async (query) => {
      expect(await search({ clazz: 'Diary', ...query } as Record<string, string>, stranger)).toMatchObject({
        status: 403,
      })
      expect(await search({ clazz: 'Diary', ...query } as Record<string, string>, master)).toMatchObject({
        status: 200,
      })
    })

    it('is hidden as soon as it is declared so', async () => {
      await makeSearched(app, 'Letter', { text: 'String', from: 'String' })
      await add('Letter', { text: 'hello', from: 'kate' })
      await indexed(app)
      expect(await found('kate', stranger, { clazz: 'Letter' })).toEqual(['hello'])
      await app.admin('PATCH', '/classes/Letter', { fields: { from: { hidden: true } } })
      expect(await found('kate', stranger, { clazz: 'Letter' })).toEqual([])
    })

    it('of a user is not found by other users', async () => {
      const fields = { nick: 'String', diary: { type: 'String', userPrivate: true } }
      await makeSearched(app, '_User', fields, { permissions: { find: 'public' } })
      await app.request('PUT', `/1.1/users/${ann.id}`, { body: { nick: 'annie', diary: 'dear' }, session: ann.session })
      await indexed(app)
      expect((await search({ q: 'annie', clazz: '_User' }, stranger)).hits).toBe(1)
      expect((await search({ q: 'dear', clazz: '_User' }, stranger)).hits).toBe(0)
      expect((await search({ q: 'diary:dear', clazz: '_User' }, stranger)).status).toBe(403)
      expect((await search({ q: 'dear', clazz: '_User' }, master)).hits).toBe(1)
    })
  })

  describe('a closed class', () => {
    it('is found by callers with access', async () => {
      await makeSearched(app, 'Vault', { text: 'String' }, { permissions: { find: { users: [ann.id], roles: [] } } })
      await add('Vault', { text: 'gold' })
      await indexed(app)
      expect(await search({ q: 'gold', clazz: 'Vault' }, stranger)).toMatchObject({ status: 403 })
      expect(await search({ q: 'gold', clazz: 'Vault' }, { session: bob.session })).toMatchObject({ status: 403 })
      expect(await found('gold', stranger, {})).toEqual([])
      expect(await found('gold', { session: ann.session }, {})).toEqual(['gold'])
      expect(
        (await app.request('GET', '/1.1/search/mlt', { query: { like: 'gold gold', clazz: 'Vault' } })).status,
      ).toBe(403)
    })

    it('is not searched without a searchable field', async () => {
      await add('Attic', { text: 'dust' })
      expect(await search({ q: 'dust', clazz: 'Attic' }, master)).toMatchObject({ status: 400, code: 102 })
      expect(await search({ q: 'dust' }, master)).toMatchObject({ hits: 0 })
    })
  })
}
