import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const OBJECTS = 60_000
const SCHEMA = 'app_indexed'
const ADMIN_TOKEN = 'token-of-the-administrator'
const HEADERS = { 'x-lc-id': 'indexed', 'x-lc-key': 'indexed-app-key' }

const home = makeHome(afterAll)
const databaseUrl = await newDatabase()
const start = () =>
  home.start(['--database-url', databaseUrl], {
    HOMEPORT_APP_ID: 'indexed',
    HOMEPORT_APP_KEY: HEADERS['x-lc-key'],
    HOMEPORT_MASTER_KEY: 'indexed-master-key',
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
let server = await start()

const database = new pg.Client({ connectionString: databaseUrl, options: `-c search_path="${SCHEMA}",homeport` })
database.on('error', () => {})
await database.connect()
afterAll(() => database.end())

/** Sends a query in the body, as SDKs send long ones. */
const query = async (parameters: object) => {
  const body = { _method: 'GET', ...parameters }
  const { status, body: answer } = await call(
    server.url,
    'POST',
    '/1.1/classes/Big',
    { ...HEADERS, 'content-type': 'text/plain' },
    body,
  )
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer.results as Record<string, unknown>[]
}
const create = (body: object) =>
  call(server.url, 'POST', '/1.1/classes/Big', { ...HEADERS, 'content-type': 'application/json' }, body)

const indexes = async (): Promise<string[]> => {
  const path = '/admin/apps/indexed/classes/Big'
  return (await call(server.url, 'GET', path, { authorization: `Bearer ${ADMIN_TOKEN}` }, undefined)).body.indexes
}

/** Counts the running index builds. */
const buildings = async () => {
  const { rowCount } = await database.query(
    `SELECT
     FROM pg_locks
     JOIN pg_database ON pg_database.oid = pg_locks.database
     WHERE locktype = 'advisory' AND classid = 4673002 AND datname = current_database()`,
  )
  return rowCount
}

/** Repeats a query until the class lists an index. */
const queryUntilIndexed = (parameters: object, index: string) =>
  expect
    .poll(
      async () => {
        await query(parameters)
        return indexes()
      },
      { timeout: 60_000, interval: 0 },
    )
    .toContain(index)

/** Returns the name and the number of uses of the index with this description. */
const usesOf = async (index: string): Promise<{ name: string; uses: number }> => {
  const { rows } = await database.query(
    `SELECT indexrelname AS name, idx_scan::integer AS uses
     FROM pg_stat_user_indexes
     WHERE schemaname = $1 AND split_part(obj_description(indexrelid, 'pg_class'), E'\\n', 1) = $2`,
    [SCHEMA, index],
  )
  return rows[0]
}

/** Repeats a query until the delayed statistics show that the index was used. */
const expectUse = async (parameters: object, index: string) => {
  const before = (await usesOf(index)).uses
  await expect
    .poll(
      async () => {
        await query(parameters)
        return (await usesOf(index)).uses
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBeGreaterThan(before)
}

await create({ name: 'first', score: 1, city: 'c', tags: ['t'], padding: '', rank: 1 })
await database.query(
  `INSERT INTO "Big" (id, created_at, updated_at, data)
   SELECT lpad(to_hex(n), 24, '0'), now(), now(), jsonb_build_object(
     'name', 'name ' || n, 'score', n % 1000, 'rank', n % 997, 'city', 'city ' || n % 20, 'tags', jsonb_build_array('tag ' || n % 5000, 'all'),
     'padding', repeat(md5(n::text), 4))
   FROM generate_series(1, ${OBJECTS}) AS n`,
)
await database.query('ANALYZE "Big"')

describe('creates an index after slow queries, which then use it', { timeout: 60_000 }, () => {
  test.each<[what: string, parameters: object, index: string, found: number]>([
    ['equality', { where: { name: 'name 4711' } }, 'name', 1],
    ['elements of an array', { where: { tags: 'tag 77' } }, 'elements of tags', OBJECTS / 5000],
    ['all of several elements', { where: { tags: { $all: ['tag 78', 'all'] } } }, 'elements of tags', OBJECTS / 5000],
    ['order', { order: '-score', limit: 10 }, 'score', 10],
    ['equality and order', { where: { city: 'city 3' }, order: '-rank', limit: 10 }, 'city,rank', 10],
  ])('%s', async (_, parameters, index, found) => {
    await queryUntilIndexed(parameters, index)
    expect(await query(parameters)).toHaveLength(found)
    await expectUse(parameters, index)
  })

  test('order: returns all objects of the class in order', async () => {
    const scores = (await query({ order: '-score,objectId', limit: 100 })).map((one) => one.score as number)
    expect(scores).toEqual([...Array(60).fill(999), ...Array(40).fill(998)])
    const inCity = await query({ where: { city: 'city 3' }, order: 'score', limit: 1000 })
    expect(inCity.every((one) => one.city === 'city 3')).toBe(true)
    expect(inCity.map((one) => one.score)).toEqual(inCity.map((one) => one.score as number).sort((a, b) => a - b))
  })
})

test('accepts and finds a text of 1 MB in an indexed field', async () => {
  expect(await indexes()).toContain('name')
  const long = 'long '.repeat(200_000)
  const { status, body } = await create({ name: `${long}1` })
  expect(status).toBe(201)
  expect((await create({ name: `${long}2` })).status).toBe(201)
  const found = await query({ where: { name: `${long}1` } })
  expect(found.map((one) => one.objectId)).toEqual([body.objectId])
  const changed = await call(
    server.url,
    'PUT',
    `/1.1/classes/Big/${body.objectId}`,
    { ...HEADERS, 'content-type': 'application/json' },
    { name: `${long}3` },
  )
  expect(changed.status).toBe(200)
  expect(await query({ where: { name: `${long}1` }, keys: 'objectId' })).toEqual([])
  // Ordered by their last characters too.
  const ordered = await query({ where: { name: { $gt: long } }, order: 'name', limit: 2, keys: 'name' })
  expect(ordered.map((one) => (one.name as string).slice(-2))).toEqual([' 2', ' 3'])
})

test('accepts a list of long texts in an indexed array', async () => {
  const { status } = await create({ tags: ['x'.repeat(1_000_000), 'y'.repeat(100_000)] })
  expect(status).toBe(201)
  expect(await query({ where: { tags: 'y'.repeat(100_000) }, keys: 'objectId' })).toHaveLength(1)
})

test('drops an index whose build was interrupted at the next start, and rebuilds it', async () => {
  const { name } = await usesOf('name')
  // The index of a slow query is built or dropped after a short delay.
  await expect.poll(buildings, { timeout: 60_000 }).toBe(0)
  await server.kill()
  await database.query('UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::regclass', [`"${name}"`])
  server = await start()
  const { rows } = await database.query(
    `SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = $1 OR NOT indisvalid`,
    [name],
  )
  expect(rows).toEqual([])
  expect(await indexes()).not.toContain('name')
  expect(await indexes()).toContain('score')
  await queryUntilIndexed({ where: { name: 'name 4711' } }, 'name')
  await expectUse({ where: { name: 'name 4711' } }, 'name')
}, 60_000)

test('a server killed while building an index leaves no index behind', async () => {
  // An open reader of the table delays the end of the build.
  const reader = new pg.Client({ connectionString: databaseUrl })
  await reader.connect()
  await reader.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM "${SCHEMA}"."Big" LIMIT 1`)
  const writer = new pg.Client({ connectionString: databaseUrl })
  await writer.connect()
  await writer.query(`BEGIN; UPDATE "${SCHEMA}"."Big" SET updated_at = now() WHERE id = lpad('1', 24, '0')`)
  const unfinished = async () =>
    (await database.query('SELECT FROM pg_index WHERE NOT indisvalid AND indrelid = $1::regclass', ['"Big"'])).rowCount
  await expect
    .poll(
      async () => {
        await query({ where: { padding: 'nothing' } })
        return unfinished()
      },
      { timeout: 60_000, interval: 0 },
    )
    .toBe(1)
  await server.kill()
  await writer.end()
  await reader.end()
  server = await start()
  await queryUntilIndexed({ where: { padding: 'nothing' } }, 'padding')
  expect(await unfinished()).toBe(0)
}, 60_000)
