import { expect, test } from 'vitest'
import { makeApp } from '../support/app.ts'

interface Index {
  readonly name: string
  readonly kind: string
  readonly keys: readonly string[]
  readonly uses: number
}

const app = await makeApp()

const indexesOf = async (className: string): Promise<Index[]> =>
  (await app.admin('GET', `/classes/${className}/indexes`)).body.indexes

test('lists all indexes of a class with keys, size and usage', async () => {
  await app.admin('POST', '/classes', {
    className: 'Shop',
    fields: { city: { type: 'String' }, code: { type: 'String' }, place: { type: 'GeoPoint' } },
    indexes: [{ fields: ['city', '-createdAt'] }, { fields: ['code'], unique: true }],
  })
  const shown = {
    name: expect.any(String),
    bytes: expect.any(Number),
    uses: 0,
    ready: true,
    progress: null,
    unique: false,
    madeAt: null,
  }
  const made = { ...shown, kind: 'sorted', madeBy: 'administrator', madeAt: expect.stringMatching(/^20.*Z$/) }
  expect(await indexesOf('Shop')).toEqual([
    { ...shown, name: 'Shop_pkey', kind: 'class', keys: ['objectId'], unique: true, madeBy: 'class' },
    { ...shown, kind: 'place', keys: ['place'], madeBy: 'class' },
    { ...made, keys: ['city', '-createdAt'] },
    { ...made, keys: ['code'], unique: true },
  ])
  expect((await app.admin('GET', '/classes/Shop')).body.indexes).toEqual(['city,-createdAt', 'unique code'])
})

test('removes created indexes, but not built-in ones', async () => {
  await app.admin('POST', '/classes', {
    className: 'Short',
    fields: { city: { type: 'String' } },
    indexes: [{ fields: ['city'] }],
  })
  const [own, made] = await indexesOf('Short')
  expect((await app.admin('DELETE', `/classes/Short/indexes/${own!.name}`)).status).toBe(400)
  expect((await app.admin('DELETE', '/classes/Short/indexes/nothing')).status).toBe(404)
  // An index of another class.
  expect((await app.admin('DELETE', `/classes/_User/indexes/${made!.name}`)).status).toBe(404)
  expect((await app.admin('DELETE', `/classes/Short/indexes/${made!.name}`)).status).toBe(200)
  expect(await indexesOf('Short')).toEqual([own])
  await app.admin('PATCH', '/classes/Short', { indexes: [{ fields: ['city'] }] })
  expect(await indexesOf('Short')).toHaveLength(2)
})

test('lists slow queries without values and with the automatic index, which is rebuilt after being dropped', async () => {
  await app.request('POST', '/1.1/classes/Slow', { body: { name: 'secret', rank: 1, pad: '' } })
  await app.sql(
    `INSERT INTO "Slow" (id, created_at, updated_at, data)
     SELECT lpad(to_hex(n), 24, '0'), now(), now(), jsonb_build_object('name', 'name ' || n, 'rank', n, 'pad', repeat(md5(n::text), 4))
     FROM generate_series(1, 40000) AS n`,
  )
  const query = { where: '{"name":"secret"}', order: '-rank', limit: '5' }
  await expect
    .poll(
      async () => {
        await app.request('GET', '/1.1/classes/Slow', { query })
        const { queries } = (await app.admin('GET', '/classes/Slow/slow-queries')).body
        return queries.find((one: { order: string }) => one.order === '-rank')?.indexes[0]
      },
      { timeout: 60_000, interval: 0 },
    )
    .toEqual({ keys: 'name,rank', ready: true, madeBy: 'homeport', madeAt: expect.any(String), progress: 1 })
  const { body } = await app.admin('GET', '/classes/Slow/slow-queries')
  expect(body).toEqual({
    node: expect.any(String),
    since: expect.any(String),
    queries: [
      {
        where: 'name = ?',
        order: '-rank',
        times: expect.any(Number),
        totalMilliseconds: expect.any(Number),
        slowestMilliseconds: expect.any(Number),
        lastAt: expect.any(String),
        indexes: [expect.anything()],
      },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('secret')

  const built = async () =>
    (await indexesOf('Slow')).find(({ keys }) => keys.join() === 'name,-rank' || keys.join() === 'name,rank')
  const first = await built()
  expect((await app.admin('DELETE', `/classes/Slow/indexes/${first!.name}`)).status).toBe(200)
  expect(await built()).toBeUndefined()
  await expect
    .poll(
      async () => {
        await app.request('GET', '/1.1/classes/Slow', { query })
        return built()
      },
      { timeout: 60_000, interval: 0 },
    )
    .toMatchObject({ name: first!.name, madeBy: 'homeport' })
}, 90_000)
