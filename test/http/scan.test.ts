import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'

const app = await makeApp()

interface Row {
  readonly objectId: string
  readonly [field: string]: unknown
}

const page = (className: string, query: Record<string, string>): Promise<Reply> =>
  app.request('GET', `/1.1/scan/classes/${className}`, { query, master: true })

/** Reads all pages of a scan; `between` runs before each page but the first. */
async function scan(className: string, query: Record<string, string>, between = async () => {}): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    if (cursor !== undefined) await between()
    const { status, body } = await page(className, { ...query, ...(cursor && { cursor }) })
    expect(status).toBe(200)
    pages.push(body.results)
    cursor = body.cursor as string | null
  }
  return pages
}

async function createAll(className: string, bodies: object[]): Promise<string[]> {
  const requests = bodies.map((body) => ({ method: 'POST', path: `/1.1/classes/${className}`, body }))
  const { body } = await app.request('POST', '/1.1/batch', { body: { requests } })
  return body.map((result: { success: { objectId: string } }) => result.success.objectId)
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('a scan', async () => {
  const ids = await createAll(
    'Row',
    numbers(25).map((n) => ({ n, even: n % 2 === 0 })),
  )

  it('reads a class by objectId, and ends with a null cursor', async () => {
    const pages = await scan('Row', { limit: '10' })
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(pages.flat().map(({ objectId }) => objectId)).toEqual(ids)
  })

  it('ends with an empty page when the last one was full', async () => {
    expect((await scan('Row', { limit: '5' })).map(({ length }) => length)).toEqual([5, 5, 5, 5, 5, 0])
  })

  it('has a cursor of 16 characters', async () => {
    expect((await page('Row', { limit: '1' })).body.cursor).toMatch(/^[A-Za-z0-9_-]{16}$/)
  })

  it('accepts where and keys', async () => {
    const pages = await scan('Row', { limit: '4', where: '{"even":true,"n":{"$lt":20}}', keys: 'n' })
    expect(pages.flat().map(({ n }) => n)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
    expect(Object.keys(pages[0]![0]!).toSorted()).toEqual(['createdAt', 'n', 'objectId', 'updatedAt'])
  })

  it('has pages of 100 by default, and of at most 1000', async () => {
    await createAll(
      'Large',
      numbers(1001).map(() => ({})),
    )
    expect((await page('Large', {})).body.results).toHaveLength(100)
    expect((await page('Large', { limit: '5000' })).body.results).toHaveLength(1000)
    for (const limit of ['0', '-1', 'x', '1.5']) {
      expect((await page('Large', { limit })).body.results).toHaveLength(100)
    }
  })

  it('requires the master key', async () => {
    const reply = await app.request('GET', '/1.1/scan/classes/Row')
    expect(reply).toMatchObject({ status: 401, body: { code: 401, error: 'Unauthorized.' } })
  })

  it('of an unknown class is 404 with code 101', async () => {
    expect(await page('NoSuchClass', {})).toMatchObject({ status: 404, body: { code: 101 } })
  })

  it('returns objects regardless of their ACL', async () => {
    await createAll('Secret', [{ ACL: {} }])
    expect((await scan('Secret', {})).flat()).toHaveLength(1)
  })

  it('of an empty class has no results and no cursor', async () => {
    await app.admin('PATCH', '/classes/Empty', {})
    expect((await page('Empty', {})).body).toEqual({ results: [], cursor: null })
  })
})

describe('a cursor', async () => {
  await createAll(
    'Held',
    numbers(10).map((n) => ({ n })),
  )
  const first = async () => (await page('Held', { limit: '4' })).body.cursor as string

  it('can be used again to repeat a page whose response was lost', async () => {
    const cursor = await first()
    const ask = async () => (await page('Held', { limit: '4', cursor })).body.results
    expect(await ask()).toEqual(await ask())
  })

  it('keeps the key and direction of the first page', async () => {
    const begun = await page('Held', { limit: '4', scan_key: '-n' })
    const { results } = (await page('Held', { limit: '4', cursor: begun.body.cursor })).body
    expect(results.map(({ n }: Row) => n)).toEqual([5, 4, 3, 2])
  })

  it('is valid for 10 minutes', async () => {
    const cursor = await first()
    const { rows } = await app.sql('SELECT expires_at FROM "$scans" WHERE cursor = $1', [cursor])
    const lifetime = (rows[0].expires_at as Date).getTime() - Date.now()
    expect(lifetime).toBeGreaterThan(9 * 60_000)
    expect(lifetime).toBeLessThanOrEqual(10 * 60_000)
    const age = (interval: string) =>
      app.sql(`UPDATE "$scans" SET expires_at = expires_at - interval '${interval}' WHERE cursor = $1`, [cursor])
    await age('9 minutes')
    expect((await page('Held', { cursor })).status).toBe(200)
    await age('1 minute')
    expect(await page('Held', { cursor })).toMatchObject({
      status: 400,
      body: { code: 102, error: expect.any(String) },
    })
  })

  it('that is unknown, or of another class, gets error 102', async () => {
    expect(await page('Held', { cursor: 'unknown-cursor-x' })).toMatchObject({ status: 400, body: { code: 102 } })
    await createAll('Other', [{}])
    expect(await page('Other', { cursor: await first() })).toMatchObject({ status: 400, body: { code: 102 } })
  })
})

describe('scan_key', async () => {
  const prefix = 'x'.repeat(200)
  const texts = [
    '',
    'a',
    'B',
    'é',
    '世',
    prefix,
    `${prefix}a`,
    `${prefix}b`,
    `${prefix}ba`,
    'x'.repeat(199),
    '\uff5e',
    '\u{1f600}',
  ]
  const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  await createAll('Keyed', [
    {},
    ...texts.map((text) => ({ text })),
    { text: null, n: null },
    { text: `${prefix}b`, n: 5 },
    ...numbers(12).map((n) => ({ n: (n * 7) % 12 })),
    { n: 5 },
    { n: -1.5 },
    ...numbers(3).map((day) => ({ at: { __type: 'Date', iso: `2024-01-0${3 - day}T00:00:00.000Z` } })),
  ])
  const all = (await scan('Keyed', { limit: '1000' })).flat()
  const sorted = <T>(field: string, compare: (a: T, b: T) => number) =>
    all.flatMap((row) => (row[field] === undefined || row[field] === null ? [] : [row[field] as T])).toSorted(compare)
  const present = (rows: Row[], field: string) =>
    rows.flatMap((row) => (row[field] === undefined || row[field] === null ? [] : [row[field]]))
  const complete = (rows: Row[]) => {
    expect(rows.map(({ objectId }) => objectId).toSorted()).toEqual(all.map(({ objectId }) => objectId).toSorted())
  }

  it.each([1, 2, 3, 7, 1000])('of texts, in pages of %i: complete, without duplicates, in order', async (limit) => {
    const up = (await scan('Keyed', { scan_key: 'text', limit: String(limit) })).flat()
    complete(up)
    expect(present(up, 'text')).toEqual(sorted('text', byCodePoint))
    const down = (await scan('Keyed', { scan_key: '-text', limit: String(limit) })).flat()
    complete(down)
    expect(present(down, 'text')).toEqual(sorted('text', byCodePoint).toReversed())
  })

  it.each([1, 2, 5])('of numbers, in pages of %i: complete, without duplicates, in order', async (limit) => {
    const up = (await scan('Keyed', { scan_key: 'n', limit: String(limit) })).flat()
    complete(up)
    expect(present(up, 'n')).toEqual(sorted<number>('n', (a, b) => a - b))
    const down = (await scan('Keyed', { scan_key: '-n', limit: String(limit) })).flat()
    complete(down)
    expect(present(down, 'n')).toEqual(sorted<number>('n', (a, b) => b - a))
  })

  it.each(['at', 'createdAt', 'updatedAt', 'objectId', 'never'])('%s: complete in both directions', async (key) => {
    complete((await scan('Keyed', { scan_key: key, limit: '4' })).flat())
    complete((await scan('Keyed', { scan_key: `-${key}`, limit: '4' })).flat())
  })

  it('returns objects without a value first when ascending, last when descending', async () => {
    const up = (await scan('Keyed', { scan_key: 'n', limit: '6' })).flat()
    const firstValue = up.findIndex((row) => row.n !== undefined)
    expect(up.slice(firstValue).every((row) => row.n !== undefined)).toBe(true)
    const down = (await scan('Keyed', { scan_key: '-n', limit: '6' })).flat()
    const firstMissing = down.findIndex((row) => row.n === undefined)
    expect(down.slice(firstMissing).every((row) => row.n === undefined)).toBe(true)
  })

  it('that is not a field name gets error 105', async () => {
    expect(await page('Keyed', { scan_key: 'a b' })).toMatchObject({ status: 400, body: { code: 105 } })
  })
})

describe('during concurrent writes and deletions', () => {
  it.each([
    ['objectId', (n: number) => ({ n })],
    ['name', (n: number) => ({ n, name: `name ${(n * 37) % 101}` })],
    ['-name', (n: number) => ({ n, name: `name ${(n * 37) % 101}` })],
  ])('a scan by %s returns each remaining object exactly once', async (scanKey, fields) => {
    const className = `Busy${['objectId', 'name', '-name'].indexOf(scanKey)}`
    const ids = await createAll(className, numbers(200).map(fields))
    // Every fourth object is deleted during the scan, at its front, middle and end; the others stay.
    const doomed = ids.filter((_, index) => index % 4 === 0)
    const staying = ids.filter((_, index) => index % 4 !== 0)
    let round = 0
    const between = async () => {
      const turn = round++
      const goners = [doomed.shift(), doomed.pop()].filter((id) => id !== undefined)
      await Promise.all([
        createAll(className, [fields(1000 + turn), fields(turn)]),
        ...goners.map((id) => app.request('DELETE', `/1.1/classes/${className}/${id}`)),
        app.request('PUT', `/1.1/classes/${className}/${staying[turn % staying.length]}`, { body: { touched: turn } }),
      ])
    }
    const seen = (await scan(className, { scan_key: scanKey, limit: '10' }, between)).flat().map((row) => row.objectId)
    expect(round).toBeGreaterThan(15)
    expect(new Set(seen).size).toBe(seen.length)
    expect(staying.filter((id) => !seen.includes(id))).toEqual([])
  })
})
