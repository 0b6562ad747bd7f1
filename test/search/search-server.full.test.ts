import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { call, makeApp } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { startOwnServer } from '../support/own-server.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { indexed, makeSearched } from '../support/search.ts'
import { hasSearchServer, startSearchServer } from '../support/search-server/start.ts'
import { describeQueries } from './queries.ts'
import { describeRights } from './rights.ts'

describe.skipIf(!hasSearchServer)('on an OpenSearch server', async () => {
  if (!hasSearchServer) return
  const openSearch = await startSearchServer(afterAll)
  const server = await startOwnServer(['--search-url', openSearch.url])
  const app = await makeApp(server.url, server.adminToken)
  describeQueries(app)
  describeRights(app, await app.makeUser('ann'), await app.makeUser('bob'))

  const add = async (name: string, fields: object) =>
    (await app.request('POST', `/1.1/classes/${name}`, { body: fields })).body.objectId as string
  const search = async (query: Record<string, string>) => {
    const { status, body } = await app.request('GET', '/1.1/search/select', { query })
    return { status, ...body }
  }
  const hits = async (clazz: string, q: string) => (await search({ clazz, q })).hits
  const serverIndexes = async () => {
    const { body } = await openSearch.request('GET', '/homeport-*')
    return Object.entries(body as Record<string, { mappings: { _meta: { class: string } } }>).map(
      ([name, { mappings }]) => ({
        name,
        class: mappings._meta.class,
      }),
    )
  }

  describe('the index', () => {
    it('is stored on the server, without an index table in the database', async () => {
      await makeSearched(app, 'Post', { text: 'String', n: 'Number' })
      await add('Post', { text: '我们都是大学生', n: 1 })
      await indexed(app)
      expect(await hits('Post', '大学')).toBe(1)
      expect(await hits('Post', '"都是 大学"')).toBe(1)
      expect((await serverIndexes()).map((index) => index.class)).toContain('Post')
    })

    it('follows writes', async () => {
      const id = await add('Post', { text: 'quickly', n: 2 })
      await vi.waitFor(async () => expect(await hits('Post', 'quickly')).toBe(1), { timeout: 60_000, interval: 20 })
      await app.request('PUT', `/1.1/classes/Post/${id}`, { body: { text: 'slowly' } })
      await vi.waitFor(async () => expect(await hits('Post', 'slowly')).toBe(1), { timeout: 60_000, interval: 20 })
      expect(await hits('Post', 'quickly')).toBe(0)
      await app.request('DELETE', `/1.1/classes/Post/${id}`)
      expect(await hits('Post', 'slowly')).toBe(0)
    })

    it('returns each object once on pages, however many writes happen meanwhile', async () => {
      for (let round = 0; round < 5; round++)
        await Promise.all(Array.from({ length: 10 }, (_, n) => add('Post', { text: 'paged '.repeat(n + 1), n })))
      await indexed(app)
      const query = { clazz: 'Post', q: 'paged', limit: '7' }
      const first = await search(query)
      expect(first.hits).toBe(50)
      const seen: string[] = first.results.map(({ objectId }: { objectId: string }) => objectId)
      for (let { sid } = first; sid; ) {
        await add('Post', { text: 'paged in between', n: 0 })
        await indexed(app)
        const next = await search({ ...query, sid })
        expect(next.status).toBe(200)
        seen.push(...next.results.map(({ objectId }: { objectId: string }) => objectId))
        sid = next.sid
      }
      expect(seen).toHaveLength(50)
      expect(new Set(seen).size).toBe(50)
    })

    it('is rebuilt while it serves searches', async () => {
      await app.admin('POST', '/search/rebuild', { className: 'Post' })
      do {
        expect(await hits('Post', '大学')).toBe(1)
      } while ((await app.admin('GET', '/search')).body.classes.some(({ building }: { building: boolean }) => building))
      expect(await hits('Post', '大学')).toBe(1)
    })

    it('finds similar objects', async () => {
      const likes = await Promise.all([1, 2, 3].map(() => add('Post', { text: 'whale whale song' })))
      await indexed(app)
      const query = { clazz: 'Post', likeObjectIds: likes[0]!, min_doc_freq: '2' }
      const { body } = await app.request('GET', '/1.1/search/mlt', { query })
      expect(body.results.map(({ objectId }: { objectId: string }) => objectId).sort()).toEqual(likes.slice(1).sort())
      expect(
        (await app.request('GET', '/1.1/search/mlt', { query: { ...query, min_doc_freq: '4' } })).body.results,
      ).toEqual([])
    })

    it('is deleted with its class', async () => {
      await makeSearched(app, 'Gone', { text: 'String' })
      expect((await serverIndexes()).map((index) => index.class)).toContain('Gone')
      await app.admin('DELETE', '/classes/Gone')
      await vi.waitFor(async () => expect((await serverIndexes()).map((index) => index.class)).not.toContain('Gone'), {
        timeout: 60_000,
        interval: 200,
      })
    })
  })

  describe('a server that', () => {
    it('is unavailable fails searches with 503, and is updated with the missed writes when it returns', async () => {
      await openSearch.kill()
      const id = await add('Post', { text: 'meanwhile' })
      expect(await search({ clazz: 'Post', q: 'meanwhile' })).toMatchObject({ status: 503, code: 511 })
      expect((await app.request('GET', `/1.1/classes/Post/${id}`)).body.text).toBe('meanwhile')
      await openSearch.restart()
      await vi.waitFor(async () => expect(await hits('Post', 'meanwhile')).toBe(1), { timeout: 60_000, interval: 100 })
    })

    it('hangs fails searches with 503 after the timeout', async () => {
      openSearch.freeze()
      onTestFinished(() => openSearch.thaw())
      expect(await search({ clazz: 'Post', q: 'meanwhile' })).toMatchObject({ status: 503, code: 511 })
      openSearch.thaw()
      await vi.waitFor(async () => expect(await hits('Post', 'meanwhile')).toBe(1), { timeout: 60_000, interval: 100 })
    })

    it('has lost an index fails searches until all objects are indexed again', async () => {
      const count = await hits('Post', 'paged')
      const index = (await serverIndexes()).find((known) => known.class === 'Post')!
      await openSearch.request('DELETE', `/${index.name}`)
      const answers: unknown[] = []
      await vi.waitFor(
        async () => {
          const found = await search({ clazz: 'Post', q: 'paged' })
          if (found.status !== 503) answers.push(found.hits)
          expect(found.status).toBe(200)
        },
        { timeout: 60_000, interval: 20 },
      )
      expect(answers).toEqual([count])
    })
  })

  it('takes over the index from the database, and returns it', async () => {
    const databaseUrl = await newDatabase()
    const home = makeHome(onTestFinished)
    const keys = { appId: 'moving', appKey: 'moving-app-key', masterKey: 'moving-master-key' }
    const environment = {
      HOMEPORT_APP_ID: keys.appId,
      HOMEPORT_APP_KEY: keys.appKey,
      HOMEPORT_MASTER_KEY: keys.masterKey,
      HOMEPORT_ADMIN_TOKEN: server.adminToken,
    }
    const headers = { 'x-lc-id': keys.appId, 'x-lc-key': keys.appKey, 'content-type': 'application/json' }
    const admin = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
    const moved = async (options: readonly string[], expected: number) => {
      const node = await home.start(['--database-url', databaseUrl, ...options], environment)
      const fields = { text: { type: 'String', searchable: true } }
      await call(node.url, 'PATCH', '/admin/apps/moving/classes/Trip', admin, { fields })
      await call(node.url, 'POST', '/1.1/classes/Trip', headers, { text: 'on the road' })
      await vi.waitFor(
        async () => {
          const { body } = await call(node.url, 'GET', '/1.1/search/select?q=road', headers, undefined)
          expect(body.hits).toBe(expected)
        },
        { timeout: 60_000, interval: 100 },
      )
      await node.stop()
    }
    await moved([], 1)
    await moved(['--search-url', openSearch.url], 2)
    expect((await serverIndexes()).map((index) => index.class)).toContain('Trip')
    await moved([], 3)
  })
})
