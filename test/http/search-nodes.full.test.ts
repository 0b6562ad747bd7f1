import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { call, makeApp } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { indexed, makeSearched } from '../support/search.ts'

const TOKEN = 'token-of-the-administrator-of-two-nodes'
const KEYS = {
  HOMEPORT_APP_ID: 'nodes',
  HOMEPORT_APP_KEY: 'nodes-app-key',
  HOMEPORT_MASTER_KEY: 'nodes-master-key',
  HOMEPORT_ADMIN_TOKEN: TOKEN,
}
const HEADERS = { 'x-lc-id': 'nodes', 'x-lc-key': 'nodes-app-key', 'content-type': 'application/json' }
const ADMIN = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

// Created outside of tests: `afterAll` cannot be called inside one.
const databaseUrl = await newDatabase()
const start = (atEnd: Parameters<typeof makeHome>[0]) => makeHome(atEnd).start(['--database-url', databaseUrl], KEYS)
const [first, second] = [await start(afterAll), await start(afterAll)]

const write = (node: Program, text: string) => call(node.url, 'POST', '/1.1/classes/Shared', HEADERS, { text })
const hits = async (node: Program, q: string): Promise<number> =>
  (await call(node.url, 'GET', `/1.1/search/select?clazz=Shared&q=${q}`, HEADERS, undefined)).body.hits

describe('several nodes', () => {
  it('find the writes of every node, including a crashed one', async () => {
    const fields = { text: { type: 'String', searchable: true } }
    await call(first.url, 'PATCH', '/admin/apps/nodes/classes/Shared', ADMIN, { fields })
    await expect.poll(() => hits(second, 'none')).toBe(0)
    await write(first, 'from first')
    await expect.poll(() => hits(second, 'first')).toBe(1)
    await write(second, 'from second')
    await expect.poll(() => hits(first, 'second')).toBe(1)
    await Promise.all(Array.from({ length: 50 }, () => write(first, 'last words')))
    await first.kill()
    await expect.poll(() => hits(second, 'words')).toBe(50)
  })

  it('apply settings changed on another node', async () => {
    const third = await start(onTestFinished)
    await call(third.url, 'PATCH', '/admin/apps/nodes/classes/Shared', ADMIN, {
      fields: { text: { searchable: false } },
    })
    await expect.poll(() => hits(second, 'words')).toBeUndefined()
    await call(second.url, 'PATCH', '/admin/apps/nodes/classes/Shared', ADMIN, {
      fields: { text: { searchable: true } },
    })
    await expect.poll(() => hits(third, 'words')).toBe(50)
  })
})

describe('an index', async () => {
  const app = await makeApp()
  const search = async (q: string): Promise<string[]> => {
    const query = { clazz: 'Busy', q, limit: '1000' }
    const { body } = await app.request('GET', '/1.1/search/select', { query })
    return body.results.map(({ objectId }: { objectId: string }) => objectId).sort()
  }

  it('covers existing objects, and is correct after rebuilds during writes', async () => {
    const texts = new Map<string, string>()
    const add = async (text: string) => {
      const { status, body } = await app.request('POST', '/1.1/classes/Busy', { body: { text } })
      expect({ status, body }).toMatchObject({ status: 201 })
      texts.set(body.objectId, text)
      return body.objectId as string
    }
    for (let round = 0; round < 15; round++)
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 ? 'odd' : 'even')))
    await makeSearched(app, 'Busy', { text: 'String' })
    const withText = (text: string) =>
      [...texts]
        .filter(([, known]) => known === text)
        .map(([id]) => id)
        .sort()
    expect(await search('odd')).toEqual(withText('odd'))
    const ids = [...texts.keys()]
    // Twenty at a time: on a busy machine three hundred would exceed the server's timeout.
    const writeAll = async (first: number) => {
      for (let n = first; n < ids.length; n += 20) {
        const id = ids[n]!
        if (n % 50 === 0) await app.admin('POST', '/search/rebuild', { className: 'Busy' })
        if (n % 3 === 0) {
          texts.delete(id)
          await app.request('DELETE', `/1.1/classes/Busy/${id}`)
        } else if (n % 3 === 1) {
          texts.set(id, 'changed')
          for (const text of ['between', 'changed'])
            await app.request('PUT', `/1.1/classes/Busy/${id}`, { body: { text } })
        } else await add('new')
        // It serves searches throughout.
        if (n % 40 === 0) expect(Array.isArray(await search('odd OR even OR changed OR new'))).toBe(true)
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, first) => writeAll(first)))
    await indexed(app)
    for (const text of ['odd', 'even', 'changed', 'new', 'between']) expect(await search(text)).toEqual(withText(text))
    const { rows } = await app.sql(`SELECT object_id FROM "$search_1" ORDER BY object_id`)
    expect(rows.map(({ object_id }) => object_id)).toEqual([...texts.keys()].sort())
  })

  it('queues no writes that change no searched field', async () => {
    const { body } = await app.request('POST', '/1.1/classes/Busy', { body: { text: 'counted', views: 0 } })
    await indexed(app)
    const seq = async () => (await app.sql(`SELECT last_value FROM "$search_changes_seq_seq"`)).rows[0].last_value
    const before = await seq()
    for (let n = 0; n < 5; n++)
      await app.request('PUT', `/1.1/classes/Busy/${body.objectId}`, {
        body: { views: { __op: 'Increment', amount: 1 } },
      })
    expect(await seq()).toBe(before)
    await app.request('PUT', `/1.1/classes/Busy/${body.objectId}`, { body: { text: 'recounted' } })
    expect(await seq()).not.toBe(before)
  })

  it('is deleted with its class, and a recreated class starts empty', async () => {
    await app.admin('DELETE', '/classes/Busy')
    await app.request('POST', '/1.1/classes/Busy', { body: { text: 'even' } })
    await makeSearched(app, 'Busy', { text: 'String' })
    expect(await search('even')).toHaveLength(1)
    const { rows } = await app.sql(`SELECT count(*)::integer AS count FROM "$search_indexes"`)
    expect(rows).toEqual([{ count: 1 }])
    const { rows: tables } = await app.sql(`SELECT to_regclass('"$search_1"') AS gone`)
    expect(tables).toEqual([{ gone: null }])
  })

  it('covers large and odd objects without delaying others', async () => {
    const words = Array.from({ length: 60_000 }, (_, n) => `w${n.toString(36)}`).join(' ')
    await app.request('POST', '/1.1/classes/Busy', { body: { text: words } })
    await app.request('POST', '/1.1/classes/Busy', { body: { text: '我'.repeat(200_000) } })
    await app.request('POST', '/1.1/classes/Busy', { body: { text: `same `.repeat(30_000) } })
    await app.request('POST', '/1.1/classes/Busy', { body: { text: `it's \\ 'quoted' \\' : & | ! \u0001 <-> 😀 ok` } })
    await indexed(app)
    for (const q of ['w0', '我', 'same', 'quoted', 'ok']) expect(await search(q)).toHaveLength(1)
  })
})
