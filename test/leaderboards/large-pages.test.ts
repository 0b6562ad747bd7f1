import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeBoards } from './boards.ts'

const app = await makeApp()
const { makeBoard } = makeBoards(app)
const BOARDS = '/1.1/leaderboard/leaderboards'
/** A response can have 6 MB of fields; ids, times and braces are not counted. */
const LIMIT = 6.5 * 1024 * 1024
/** A separate address: large responses are limited per address. */
const headers = { 'x-forwarded-for': '198.51.100.35' }

async function get(path: string, query: Record<string, string> = {}) {
  const { status, body } = await app.request('GET', path, { master: true, query, headers })
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(200)
  return body
}

describe('a ranking includes statistics of its members', async () => {
  const boards = await Promise.all(Array.from({ length: 20 }, () => makeBoard({ updateStrategy: 'last' })))
  const [main, ...others] = boards
  const names = others.map(({ name }) => name)
  // Inserted by SQL for speed: every second member has a value in each of the other leaderboards.
  for (const [n, { board }] of boards.entries())
    await app.sql(
      `INSERT INTO "$statistics" (board, version, member, score, reached)
       SELECT $1, 0, 'm' || i, -i, nextval('"$statistics_reached"') FROM generate_series(1, 1000) AS i
       WHERE $2 = 0 OR i % 2 = 0`,
      [board, n],
    )
  const ranks = (query: Record<string, string>) => get(`${BOARDS}/entity/${main!.name}/ranks`, query)

  it('for each member its own, in the order of the names, and none for a member without values', async () => {
    const { results } = await ranks({ includeStatistics: names.join(','), maxResultsCount: '1000' })
    expect(results).toHaveLength(1000)
    const sorted = names.toSorted()
    for (const { entity, rank, statistics } of results) {
      const value = 1000 - rank
      expect(entity).toBe(`m${value}`)
      const own = value % 2 === 0 ? sorted : []
      expect(statistics).toEqual(own.map((statisticName) => ({ statisticName, statisticValue: value, version: 0 })))
    }
  })

  it('with every number as stored', async () => {
    const values = [0, -0, 0.1, -1.5e-300, 9.999e99, 123456789012345680, -7]
    for (const [n, value] of values.entries()) {
      const body = [{ statisticName: names[0], statisticValue: value }]
      await app.request('POST', `/1.1/leaderboard/entities/m${n + 1}/statistics`, { master: true, body })
    }
    const { results } = await ranks({ includeStatistics: names[0]!, maxResultsCount: '1000' })
    for (const [n, value] of values.entries()) {
      const { statistics } = results.find(({ entity }: { entity: string }) => entity === `m${n + 1}`)
      expect(statistics).toEqual([{ statisticName: names[0], statisticValue: value + 0, version: 0 }])
    }
  })

  it('up to 6 MB', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `${'x'.repeat(90)}_${n}`)
    for (const statisticName of names) {
      const body = { statisticName, memberType: '_Entity', versionChangeInterval: 'never' }
      await app.request('POST', BOARDS, { master: true, body })
    }
    const { rows } = await app.sql('SELECT board FROM "$leaderboards" WHERE name = ANY($1)', [names])
    expect(rows).toHaveLength(60)
    await app.sql(
      `INSERT INTO "$statistics" (board, version, member, score, reached)
       SELECT board, 0, 'm' || i, -i, nextval('"$statistics_reached"')
       FROM generate_series(1, 1000) AS i, unnest($1::int[]) AS board`,
      [rows.map(({ board }) => board)],
    )
    const { results } = await ranks({ includeStatistics: names.join(','), maxResultsCount: '1000' })
    expect(JSON.stringify(results).length).toBeLessThan(LIMIT)
    expect(results.length).toBeGreaterThan(100)
    expect(results.length).toBeLessThan(1000)
    for (const { statistics } of results) expect(statistics).toHaveLength(60)
    const next = await ranks({ startPosition: String(results.length), maxResultsCount: '1' })
    expect(next.results[0].rank).toBe(results.length)
  })
})

describe('large members', async () => {
  const { body } = await app.request('POST', '/1.1/classes/Large', {
    master: true,
    body: { text: 'y'.repeat(400 * 1024), name: 'large' },
  })
  const names: string[] = []
  for (let n = 0; n < 20; n++) {
    const name = `large_${n}`
    const board = { statisticName: name, memberType: 'Large', versionChangeInterval: 'never' }
    await app.request('POST', BOARDS, { master: true, body: board })
    names.push(name)
  }
  const member = body.objectId
  await app.request('POST', `/1.1/leaderboard/objects/${member}/statistics`, {
    master: true,
    body: names.map((statisticName) => ({ statisticName, statisticValue: 1 })),
  })

  it('are expanded while the response has capacity, then returned as pointers', async () => {
    const { results } = await get(`/1.1/leaderboard/objects/${member}/statistics`, { selectKeys: 'text' })
    expect(results).toHaveLength(20)
    expect(JSON.stringify(results).length).toBeLessThan(LIMIT)
    const whole = results.filter(({ object }: { object: { text?: string } }) => object.text !== undefined)
    expect(whole.length).toBeGreaterThanOrEqual(14)
    expect(whole.length).toBeLessThan(20)
    expect(whole[0].object).toMatchObject({ __type: 'Object', className: 'Large', objectId: member })
    expect(results.at(-1).object).toEqual({ __type: 'Pointer', className: 'Large', objectId: member })
  })

  it('return only the requested keys in a ranking', async () => {
    const { results } = await get(`${BOARDS}/object/large_0/ranks`, { selectKeys: 'name' })
    expect(results).toEqual([
      {
        rank: 0,
        statisticName: 'large_0',
        statisticValue: 1,
        object: expect.objectContaining({ __type: 'Object', className: 'Large', objectId: member, name: 'large' }),
      },
    ])
    expect(results[0].object.text).toBeUndefined()
  })
})
