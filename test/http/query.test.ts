import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { makeApp, type Reply, type TestApp } from '../support/app.ts'
import { startOwnServer } from '../support/own-server.ts'

const app = await makeApp()

const find = (className: string, query: Record<string, string> = {}): Promise<Reply> =>
  app.request('GET', `/1.1/classes/${className}`, { query })
const where = (condition: unknown) => ({ where: JSON.stringify(condition) })
const namesOf = (reply: Reply): string[] => reply.body.results.map((result: { name: string }) => result.name)
const names = async (className: string, query: Record<string, string> = {}) => namesOf(await find(className, query))

async function createAll(className: string, bodies: object[], target: TestApp = app): Promise<string[]> {
  const requests = bodies.map((body) => ({ method: 'POST', path: `/1.1/classes/${className}`, body }))
  const { body } = await target.request('POST', '/1.1/batch', { body: { requests } })
  return body.map((result: { success: { objectId: string } }) => result.success.objectId)
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId })

describe('limit', async () => {
  await createAll(
    'Row',
    Array.from({ length: 1002 }, (_, n) => ({ n })),
  )

  it.each([
    ['1', 1],
    ['99', 99],
    ['100', 100],
    ['999', 999],
    ['1000', 1000],
    ['1001', 100],
    ['100000', 100],
    ['-1', 100],
    ['-1000', 100],
    ['1.5', 100],
    ['abc', 100],
    ['', 100],
    ['0', 100],
  ])('%s gives %i', async (limit, expected) => {
    expect((await find('Row', { limit })).body.results).toHaveLength(expected)
  })

  it('defaults to 100', async () => {
    expect((await find('Row')).body.results).toHaveLength(100)
  })

  it('of an inner query is 100 as well, at most 1000', async () => {
    await createAll('Outer', [
      { name: 'at 50', n: 50 },
      { name: 'at 500', n: 500 },
      { name: 'at 1001', n: 1001 },
    ])
    const matching = (inner: object) =>
      names('Outer', where({ n: { $select: { key: 'n', query: { className: 'Row', order: 'n', ...inner } } } }))
    expect(await matching({})).toEqual(['at 50'])
    expect(await matching({ limit: 501 })).toEqual(['at 50', 'at 500'])
    expect(await matching({ limit: 1000 })).toEqual(['at 50', 'at 500'])
    expect(await matching({ limit: 1001 })).toEqual(['at 50'])
    expect(await matching({ limit: 1000, skip: 10 })).toEqual(['at 50', 'at 500', 'at 1001'])
  })
})

describe('count', () => {
  it.each(['1', 'true'])('=%s counts all matches, regardless of limit and skip', async (count) => {
    const query = { ...where({ n: { $lt: 250 } }), count, limit: '10', skip: '5' }
    const { body } = await find('Row', query)
    expect(body.count).toBe(250)
    expect(body.results).toHaveLength(10)
  })

  it.each(['0', 'false', ''])('=%s does not count', async (count) => {
    expect((await find('Row', { count })).body).not.toHaveProperty('count')
  })

  it('excludes objects the caller cannot read', async () => {
    await createAll('Secret', [{}, { ACL: {} }, {}])
    expect((await find('Secret', { count: '1', limit: '0' })).body).toEqual({ results: [], count: 2 })
  })
})

describe('order', async () => {
  await createAll('Score', [
    { name: 'a', points: 10, level: 1, deep: { n: 3 } },
    { name: 'b', points: 30, level: 2, deep: { n: 1 } },
    { name: 'c', points: 20, level: 1, deep: { n: 2 } },
    { name: 'd', points: 30, level: 1 },
    { name: 'e', level: 2, deep: { n: 2 } },
  ])

  it.each([
    ['level,-points', ['d', 'c', 'a', 'b', 'e']],
    ['level, -points', ['d', 'c', 'a', 'b', 'e']],
    ['-level,name', ['b', 'e', 'a', 'c', 'd']],
    ['-name', ['e', 'd', 'c', 'b', 'a']],
    ['-objectId', ['e', 'd', 'c', 'b', 'a']],
    ['level', ['a', 'c', 'd', 'b', 'e']],
    ['deep.n,name', ['d', 'b', 'c', 'e', 'a']],
    ['-deep.n,-name', ['a', 'e', 'c', 'b', 'd']],
    ['never', ['a', 'b', 'c', 'd', 'e']],
  ])('%s', async (order, expected) => {
    expect(await names('Score', { order })).toEqual(expected)
  })

  it('makes pages that are complete and do not overlap, also among equal values', async () => {
    const pages: string[] = []
    for (let skip = 0; skip < 5; skip++) {
      pages.push(...(await names('Score', { order: '-level', limit: '1', skip: String(skip) })))
    }
    expect(pages).toEqual(await names('Score', { order: '-level' }))
    expect(pages.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})

describe('where', async () => {
  await createAll('Thing', [
    { name: 'a', n: 1, tags: ['x'], deep: { city: 'Oslo', list: [{ k: 1 }] } },
    { name: 'b', n: 2, tags: ['x', 'y'], deep: { city: 'Rome' } },
    { name: 'c', n: 3, text: 'a.b\nc' },
  ])

  it('accepts a list as a conjunction', async () => {
    expect(await names('Thing', where([{ n: { $gt: 1 } }, { tags: 'x' }]))).toEqual(['b'])
    expect(await names('Thing', where([]))).toEqual(['a', 'b', 'c'])
  })

  it.each(['', '{}', 'null', '[{}]'])('%j means no condition', async (text) => {
    expect(await names('Thing', { where: text })).toEqual(['a', 'b', 'c'])
  })

  it('accepts several $or in an $and', async () => {
    const either = (key: string, ...values: unknown[]) => ({ $or: values.map((value) => ({ [key]: value })) })
    expect(await names('Thing', where({ $and: [either('n', 1, 2), either('name', 'b', 'c')] }))).toEqual(['b'])
  })

  it('accepts equality on one key more than once in an $and', async () => {
    expect(await names('Thing', where({ $and: [{ tags: 'x' }, { tags: 'y' }] }))).toEqual(['b'])
  })

  it('accepts $or beside other keys', async () => {
    expect(await names('Thing', where({ $or: [{ n: 1 }, { n: 3 }], name: 'c' }))).toEqual(['c'])
  })

  it('reaches into objects by dotted keys', async () => {
    expect(await names('Thing', where({ 'deep.city': 'Rome' }))).toEqual(['b'])
    expect(await names('Thing', where({ 'deep.city': { $in: ['Oslo', 'Rome'] }, n: { $ne: 2 } }))).toEqual(['a'])
    expect(await names('Thing', where({ 'deep.city': { $exists: false } }))).toEqual(['c'])
  })

  it('quotes literals between \\Q and \\E', async () => {
    expect(await names('Thing', where({ text: { $regex: '^\\Qa.b\\E' } }))).toEqual(['c'])
    expect(await names('Thing', where({ text: { $regex: '^\\Qaxb\\E' } }))).toEqual([])
  })

  it('accepts combined $options', async () => {
    const pattern = { $regex: '^ A\\.B . C $ # all of it', $options: 'sixm' }
    expect(await names('Thing', where({ text: pattern }))).toEqual(['c'])
  })

  it('accepts ISO texts for createdAt and updatedAt', async () => {
    expect(await names('Thing', where({ createdAt: { $gt: '2001-01-01T00:00:00.000Z' } }))).toHaveLength(3)
    expect(await names('Thing', where({ updatedAt: { $lt: '2001-01-01T00:00:00.000Z' } }))).toEqual([])
  })

  it('compares pointers by class and id, ignoring other members', async () => {
    const [id] = await createAll('Target', [{}])
    await createAll('Pointing', [{ name: 'p', to: pointer('Target', id!) }])
    expect(await names('Pointing', where({ to: { ...pointer('Target', id!), title: 'x' } }))).toEqual(['p'])
  })

  it('with $inQuery needs no class when the pointer has one', async () => {
    expect(await names('Pointing', where({ to: { $inQuery: { where: {} } } }))).toEqual(['p'])
  })

  it.each([
    ['{', 107],
    ['text', 107],
    ['5', 102],
    ['"text"', 102],
    ['[1]', 102],
    ['{"$or":{}}', 102],
    ['{"$or":[]}', 102],
    ['{"$nor":[{"n":1}]}', 102],
    ['{"n":{"$unknown":1}}', 102],
    ['{"n":{"$in":1}}', 102],
    ['{"n":{"$gt":null}}', 102],
    ['{"n":{"$gt":1,"plain":2}}', 102],
    ['{"tags":{"$size":"1"}}', 102],
    ['{"tags":{"$size":-1}}', 102],
    ['{"n":{"$exists":1}}', 102],
    ['{"name":{"$regex":5}}', 102],
    ['{"name":{"$regex":"("}}', 102],
    ['{"name":{"$regex":"*a"}}', 102],
    ['{"name":{"$regex":"a","$options":"g"}}', 102],
    ['{"name":{"$options":"i"}}', 102],
    ['{"place":{"$nearSphere":1}}', 102],
    ['{"place":{"$nearSphere":{"__type":"GeoPoint","latitude":91,"longitude":0}}}', 302],
    ['{"to":{"$inQuery":{"className":"bad-name","where":{}}}}', 103],
    ['{"n":{"$select":{"key":"n"}}}', 102],
    ['{"$relatedTo":{"key":"fans"}}', 102],
    ['{"ACL":{"$exists":true}}', 102],
    ['{"a b":1}', 105],
    ['{"to":{"__type":"Pointer","className":"Target"}}', 106],
  ])('%s gets error %i', async (text, code) => {
    expect(await find('Thing', { where: text })).toMatchObject({
      status: 400,
      body: { code, error: expect.any(String) },
    })
  })
})

describe('keys and include', async () => {
  const [country] = await createAll('Country', [{ name: 'Norway', code: 'no' }])
  const [city] = await createAll('City', [{ name: 'Oslo', country: pointer('Country', country!) }])
  const [author] = await createAll('Author', [{ name: 'Ann', age: 50, city: pointer('City', city!) }])
  await createAll('Book', [{ name: 'b', author: pointer('Author', author!), n: 1, profile: { city: 'x', zip: 1 } }])
  const book = async (query: Record<string, string>) => (await find('Book', query)).body.results[0]
  const SYSTEM = { objectId: expect.any(String), createdAt: expect.any(String), updatedAt: expect.any(String) }

  it('an unexpanded pointer has three members', async () => {
    expect((await book({})).author).toEqual(pointer('Author', author!))
  })

  it('include adds the fields of the target', async () => {
    expect((await book({ include: 'author' })).author).toEqual({
      __type: 'Pointer',
      className: 'Author',
      ...SYSTEM,
      objectId: author,
      name: 'Ann',
      age: 50,
      city: pointer('City', city!),
    })
  })

  it('include follows dotted paths; spaces after commas are tolerated', async () => {
    const { author: found } = await book({ include: 'n, author.city.country' })
    expect(found.city.country).toMatchObject({ __type: 'Pointer', className: 'Country', name: 'Norway' })
  })

  it('keys select fields in addition to the system fields', async () => {
    expect(await book({ keys: 'name, n' })).toEqual({ ...SYSTEM, name: 'b', n: 1 })
    expect(await book({ keys: 'unknown' })).toEqual(SYSTEM)
  })

  it('keys with a minus exclude fields, also system fields and dotted paths', async () => {
    expect(await book({ keys: '-author,-profile.zip,-createdAt' })).toEqual({
      objectId: SYSTEM.objectId,
      updatedAt: SYSTEM.updatedAt,
      name: 'b',
      n: 1,
      profile: { city: 'x' },
    })
  })

  it('keys with dots select parts of objects and of pointer targets', async () => {
    expect(await book({ keys: 'profile.city,author.city.country.code' })).toEqual({
      ...SYSTEM,
      profile: { city: 'x' },
      author: {
        __type: 'Pointer',
        className: 'Author',
        ...SYSTEM,
        city: {
          __type: 'Pointer',
          className: 'City',
          ...SYSTEM,
          country: { __type: 'Pointer', className: 'Country', ...SYSTEM, code: 'no' },
        },
      },
    })
  })

  it('keys and include combine for one object too', async () => {
    const { objectId } = await book({})
    const query = { keys: 'author.name', include: 'author' }
    const { body } = await app.request('GET', `/1.1/classes/Book/${objectId}`, { query })
    expect(body).toEqual({ ...SYSTEM, author: { __type: 'Pointer', className: 'Author', ...SYSTEM, name: 'Ann' } })
  })

  it.each([
    ['keys', 'a b', 102],
    ['include', 'a-b', 102],
    ['order', 'a;b', 105],
  ])('%s=%s, which is not a field name, gets error %i', async (parameter, name, code) => {
    expect(await find('Book', { [parameter]: name })).toMatchObject({ status: 400, body: { code } })
  })
})

describe('redirectClassNameForKey', () => {
  it('queries the members of a relation by its owner, and returns their class', async () => {
    const [fan] = await createAll('Fan', [{ name: 'ann' }])
    const [band] = await createAll('Band', [{ fans: { __op: 'AddRelation', objects: [pointer('Fan', fan!)] } }])
    const related = where({ $relatedTo: { object: pointer('Band', band!), key: 'fans' } })
    const { body } = await find('Band', { ...related, redirectClassNameForKey: 'fans', count: '1' })
    expect(Object.keys(body).toSorted()).toEqual(['className', 'count', 'results'])
    expect(body).toMatchObject({ className: 'Fan', count: 1, results: [{ objectId: fan, name: 'ann' }] })
  })

  it('obeys the permissions of the target class', async () => {
    await app.admin('PATCH', '/classes/Fan', { permissions: { find: 'master' } })
    expect(await find('Band', { redirectClassNameForKey: 'fans' })).toMatchObject({
      status: 403,
      body: { code: 403, error: "Forbidden to find by class 'Fan' permissions." },
    })
  })
})

describe('a query that exceeds the time limit', async () => {
  // Long enough for all other queries here on a slow machine.
  const slow = await startOwnServer(['--query-timeout', '3000'])
  const busy = await makeApp(slow.url, slow.adminToken)
  // The regular expression backtracks over every split of the first half for each object.
  const HOSTILE = where({ text: { $regex: '^(a+)(a+)(a+)b\\3\\2\\1c$' } })
  await createAll(
    'Long',
    Array.from({ length: 50 }, () => ({ text: `${'a'.repeat(400)}b${'a'.repeat(399)}c` })),
    busy,
  )

  it('gets error 124', async () => {
    expect(await busy.request('GET', '/1.1/classes/Long', { query: HOSTILE })).toMatchObject({
      status: 400,
      body: {
        code: 124,
        error: 'The request timed out on the server. Typically this indicates the request is too expensive.',
      },
    })
  })

  it('gets error 124 as a count, a scan and an item of a batch too', async () => {
    const [count, scan, batch] = await Promise.all([
      busy.request('GET', '/1.1/classes/Long', { query: { ...HOSTILE, count: '1', limit: '0' } }),
      busy.request('GET', '/1.1/scan/classes/Long', { query: HOSTILE, master: true }),
      busy.request('POST', '/1.1/batch', {
        body: { requests: [{ method: 'GET', path: '/1.1/classes/Long', params: HOSTILE }] },
      }),
    ])
    expect(count).toMatchObject({ status: 400, body: { code: 124 } })
    expect(scan).toMatchObject({ status: 400, body: { code: 124 } })
    expect(batch).toMatchObject({ status: 200, body: [{ error: { code: 124 } }] })
  })
})

describe('a slow query', async () => {
  const CONNECTIONS_FOR_QUERIES = 4
  const server = await startOwnServer(['--query-timeout', '60000', '--database-connections', '12'])
  const busy = await makeApp(server.url, server.adminToken)
  await createAll('Held', [{}], busy)
  await createAll('Short', [{ n: 1 }], busy)
  const database = new pg.Client({ connectionString: server.databaseUrl })
  await database.connect()
  afterAll(() => database.end())

  const waiting = async () => {
    const { rows } = await database.query(`
      SELECT count(*)::int AS count
      FROM pg_locks
      JOIN pg_database AS own ON own.oid = database
      WHERE NOT granted AND datname = current_database()`)
    return rows[0].count as number
  }

  /** A single caller leaves one slot to other addresses and one to its own. */
  const SHARE_OF_ONE = CONNECTIONS_FOR_QUERIES - 2

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  /** Runs `work` while so many queries wait for a locked class. */
  async function whileHeld(queries: number, work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
    await database.query(`BEGIN; LOCK TABLE "app_${busy.appId}"."Held"`)
    try {
      const held = Promise.all(Array.from({ length: queries }, () => readHeld(signal)))
      await expect.poll(waiting).toBeGreaterThan(0)
      await work()
      await database.query('COMMIT')
      const statuses = await held
      // Queries without a connection can have been rejected because their share was full.
      if (!signal) for (const status of statuses) expect([200, 429]).toContain(status)
    } finally {
      await database.query('ROLLBACK')
    }
  }

  async function readHeld(signal?: AbortSignal): Promise<number | null> {
    const headers = { 'x-lc-id': busy.appId, 'x-lc-key': busy.appKey, 'x-forwarded-for': '192.0.2.66' }
    const response = await fetch(`${busy.url}/1.1/classes/Held`, { headers, ...(signal && { signal }) }).catch(
      () => null,
    )
    return response?.status ?? null
  }

  it('does not delay reads and writes of objects, however many run', async () => {
    await whileHeld(2 * CONNECTIONS_FOR_QUERIES, async () => {
      const made = await busy.request('POST', '/1.1/classes/Short', { body: { n: 2 } })
      expect(made.status).toBe(201)
      const path = `/1.1/classes/Short/${made.body.objectId}`
      expect((await busy.request('PUT', path, { body: { n: { __op: 'Increment', amount: 1 } } })).status).toBe(200)
      expect((await busy.request('GET', path)).body.n).toBe(3)
      expect((await busy.request('DELETE', path)).status).toBe(200)
      expect(await waiting()).toBeLessThanOrEqual(SHARE_OF_ONE)
    })
  })

  it('does not delay queries of other addresses, however many run', async () => {
    await whileHeld(50, async () => {
      const query = where({ n: 1 })
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          busy.request('GET', '/1.1/classes/Short', { query, ...from(`192.0.2.${index % 3}`) }),
        ),
      )
      for (const { body } of found) expect(body.results).toHaveLength(1)
      expect(await waiting()).toBeLessThanOrEqual(SHARE_OF_ONE)
    })
  })

  it('ends when its client disconnects', async () => {
    const leaving = new AbortController()
    const work = async () => {
      leaving.abort()
      // Running queries are canceled, and waiting ones do not replace them.
      await expect.poll(waiting).toBe(0)
      expect((await busy.request('GET', '/1.1/classes/Short', from('192.0.2.66'))).status).toBe(200)
      expect(await waiting()).toBe(0)
    }
    await whileHeld(10, work, leaving.signal)
  })
})
