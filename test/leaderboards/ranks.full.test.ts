import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeBoards } from './boards.ts'

const app = await makeApp()
const { makeBoard, write, ranks } = makeBoards(app)

/** Returns a seeded random number generator. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Inserts members into a leaderboard in one statement, as an import does. */
async function fill(board: number, members: number, values: number): Promise<void> {
  await app.sql(
    `INSERT INTO "$statistics" (board, version, member, score, reached)
     SELECT $1, 0, 'member-' || n, -(n::bigint * 2654435761 % $3), nextval('"$statistics_reached"')
     FROM generate_series(0, $2::integer - 1) AS n`,
    [board, members, values],
  )
}

/** Returns rank buckets whose count, plus pending changes, differs from their members. */
async function wrongFences(board: number): Promise<unknown[]> {
  const { rows } = await app.sql(
    `WITH piece AS (
       SELECT level, score, reached, members,
         lead(score) OVER place AS end_score, lead(reached) OVER place AS end_reached
       FROM "$rank_fences" WHERE board = $1 WINDOW place AS (PARTITION BY level ORDER BY score, reached)
     ),
     place AS (
       SELECT score, reached, 1 AS delta FROM "$statistics" WHERE board = $1
       UNION ALL
       SELECT score, reached, -delta FROM "$rank_changes" WHERE board = $1
     )
     SELECT * FROM piece
     WHERE members <> (
       SELECT coalesce(sum(delta), 0) FROM place
       WHERE (place.score, place.reached) >= (piece.score, piece.reached)
         AND (end_score IS NULL OR (place.score, place.reached) < (end_score, end_reached))
     )`,
    [board],
  )
  return rows
}

/** Returns all members of a leaderboard in the order of the database, without rank buckets. */
async function ranking(board: number): Promise<string[]> {
  const { rows } = await app.sql(
    'SELECT member FROM "$statistics" WHERE board = $1 AND version = 0 ORDER BY score, reached',
    [board],
  )
  return rows.map(({ member }) => member)
}

describe('ranks among many', () => {
  it.each([
    ['few values, so that most are equal', 7],
    ['many values', 1_000_003],
  ])('are exact for any counting method: %s', { timeout: 120_000 }, async (_, values) => {
    const { board, name } = await makeBoard({ updateStrategy: 'last' })
    await fill(board, 5000, values)
    const random = randomNumbers(values)
    const someRanks = async () => {
      const order = await ranking(board)
      for (let n = 0; n < 12; n++) {
        const rank = Math.floor(random() * order.length)
        const around = await ranks(name, { maxResultsCount: '3' }, order[rank])
        const start = Math.max(0, rank - 1)
        expect(around.map(({ rank, entity }) => [rank, entity])).toEqual(
          order.slice(start, start + 3).map((member, index) => [start + index, member]),
        )
        const page = await ranks(name, { startPosition: String(rank), maxResultsCount: '3' })
        expect(page.map(({ rank, entity }) => [rank, entity])).toEqual(
          order.slice(rank, rank + 3).map((member, index) => [rank + index, member]),
        )
      }
    }
    // Nothing is counted yet.
    await someRanks()
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let n = 0; n < 50; n++) {
            const member = `member-${Math.floor(random() * 6000)}`
            if (random() < 0.15) await write(name, member, null)
            else await write(name, member, Math.floor(random() * values))
          }
        }),
      )
      expect(await wrongFences(board)).toEqual([])
      await someRanks()
    }
    const count = async () =>
      (await app.sql('SELECT count(*)::int AS count FROM "$rank_fences" WHERE board = $1', [board])).rows[0].count
    await expect.poll(count).toBeGreaterThan(10)
    expect(await wrongFences(board)).toEqual([])
    const { body } = await app.request('GET', `/1.1/leaderboard/leaderboards/entity/${name}/ranks?count=1&limit=0`)
    expect(body).toEqual({ results: [], count: (await ranking(board)).length })
  })

  it('are exact after most members and their rank buckets are gone', {
    timeout: 120_000,
  }, async () => {
    const { board, name } = await makeBoard({ updateStrategy: 'last' })
    await fill(board, 4000, 1009)
    const touch = async () => {
      for (let n = 0; n < 260; n++) await write(name, 'member-0', n)
    }
    const fences = async () =>
      (await app.sql('SELECT count(*)::int AS count FROM "$rank_fences" WHERE board = $1', [board])).rows[0].count
    await touch()
    await expect.poll(fences).toBeGreaterThan(20)
    const many = await fences()
    await app.sql(`DELETE FROM "$statistics" WHERE board = $1 AND substr(member, 8)::int % 40 <> 0`, [board])
    await touch()
    await expect.poll(fences).toBeLessThan(many / 2)
    expect(await wrongFences(board)).toEqual([])
    const order = await ranking(board)
    expect(order.length).toBe(100)
    const last = await ranks(name, { maxResultsCount: '1' }, order.at(-1))
    expect(last).toMatchObject([{ rank: 99, entity: order.at(-1) }])
  })
})
