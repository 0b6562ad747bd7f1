import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makeBoards } from './boards.ts'

const app = await makeApp()
const { makeBoard, write, ranks } = makeBoards(app)

const UPDATES = 200

/** Reads the stored values of a member by version. */
async function storedOf(board: number, member: string): Promise<Map<number, number>> {
  const { rows } = await app.sql(
    `SELECT statistic.version, score * direction AS value
     FROM "$statistics" AS statistic JOIN "$leaderboards" USING (board)
     WHERE board = $1 AND member = $2`,
    [board, member],
  )
  return new Map(rows.map(({ version, value }) => [version, value]))
}

describe('200 concurrent updates of one member', () => {
  const values = Array.from({ length: UPDATES }, (_, n) => 1 + ((n * 73) % 211))

  it.each([
    ['better', 'descending', Math.max(...values)],
    ['better', 'ascending', Math.min(...values)],
    ['sum', 'descending', values.reduce((sum, value) => sum + value, 0)],
  ])('by %s, %s, lose none', async (updateStrategy, order, expected) => {
    const { name } = await makeBoard({ updateStrategy, order })
    const answers = await Promise.all(values.map((value) => write(name, 'one', value)))
    expect(await ranks(name, {})).toEqual([{ rank: 0, statisticName: name, statisticValue: expected, entity: 'one' }])
    // Each response is a value stored at some moment; each sum occurs once.
    if (updateStrategy === 'sum') {
      expect(new Set(answers.map(({ value }) => value)).size).toBe(UPDATES)
      expect(Math.max(...answers.map(({ value }) => value))).toBe(expected)
    }
  })

  it('by last, keep one of them', async () => {
    const { name } = await makeBoard({ updateStrategy: 'last' })
    await Promise.all(values.map((value) => write(name, 'one', value)))
    const [only] = await ranks(name, {})
    expect(values).toContain(only!.statisticValue)
    expect(await write(name, 'one', -5)).toEqual({ value: -5, version: 0 })
  })
})

describe('version changes during 200 updates', () => {
  it('count each update in exactly one version, the one its response names', async () => {
    const { board, name } = await makeBoard({ updateStrategy: 'sum' })
    const increment = () =>
      app.request('PUT', `/1.1/leaderboard/leaderboards/${name}/incrementVersion`, { master: true })
    const answers = await Promise.all(
      Array.from({ length: UPDATES }, async (_, n) => {
        if (n === 60 || n === 140) expect((await increment()).status).toBe(200)
        return write(name, `member-${n % 5}`, 1)
      }),
    )
    const told = new Map<string, number>()
    answers.forEach(({ version }, n) => {
      const key = `member-${n % 5} ${version}`
      told.set(key, (told.get(key) ?? 0) + 1)
    })
    const stored = new Map<string, number>()
    for (let n = 0; n < 5; n++)
      for (const [version, value] of await storedOf(board, `member-${n}`)) stored.set(`member-${n} ${version}`, value)
    // The first version can have moved to its archive already.
    const archives = async () =>
      (await app.request('GET', `/1.1/leaderboard/leaderboards/${name}/archives`, { master: true })).body.results
    await expect
      .poll(async () => (await archives()).map(({ status }: { status: string }) => status), { timeout: 60_000 })
      .toEqual(['completed', 'completed'])
    for (const { url, version } of await archives()) {
      const [, ...lines] = (await (await fetch(url)).text()).trim().split('\n')
      for (const line of lines) {
        const [, , value, member] = line.split(',')
        const before = stored.get(`${member} ${version}`)
        if (before !== undefined) expect(Number(value)).toBe(before)
        stored.set(`${member} ${version}`, Number(value))
      }
    }
    expect(stored).toEqual(told)
    expect([...stored.values()].reduce((sum, value) => sum + value, 0)).toBe(UPDATES)
  })

  it('change the version once per request, however concurrent', async () => {
    const { name } = await makeBoard({})
    const path = `/1.1/leaderboard/leaderboards/${name}/incrementVersion`
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.request('PUT', path, { master: true })))
    const versions = answers.map(({ body }) => body.version).sort((left, right) => left - right)
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('a leaderboard deleted during updates', () => {
  it('leaves nothing', { timeout: 60_000 }, async () => {
    const { board, name } = await makeBoard({})
    const path = `/1.1/leaderboard/leaderboards/${name}`
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        if (n === 30) return (await app.request('DELETE', path, { master: true })).status
        const body = [{ statisticName: name, statisticValue: n }]
        const answer = await app.request('POST', `/1.1/leaderboard/entities/e${n}/statistics`, { master: true, body })
        return answer.status === 200 ? 200 : answer.body.code
      }),
    )
    expect([...new Set(statuses)].every((status) => status === 200 || status === 2100)).toBe(true)
    const left = async () => {
      const { rows } = await app.sql(
        `SELECT (SELECT count(*) FROM "$statistics" WHERE board = $1) + (SELECT count(*) FROM "$rank_changes" WHERE board = $1)
           + (SELECT count(*) FROM "$rank_fences" WHERE board = $1) AS left`,
        [board],
      )
      return Number(rows[0].left)
    }
    await expect.poll(left, { timeout: 60_000 }).toBe(0)
  })
})
