import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { namesIn, recordsIn, runFor, scratchFolder } from './exported-app.ts'

const BOARDS = '/1.1/leaderboard/leaderboards'
/** Members of the large leaderboard: more than one rank bucket holds. */
const COUNT = 700

const rest = async (of: TestApp, method: string, path: string, body?: unknown, query?: Record<string, string>) => {
  const reply = await of.request(method, path, {
    master: true,
    ...(body !== undefined && { body }),
    ...(query && { query }),
  })
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  return reply.body
}

const makeBoard = (of: TestApp, statisticName: string, options: object) =>
  rest(of, 'POST', BOARDS, { statisticName, versionChangeInterval: 'never', ...options })

const write = (of: TestApp, path: string, statisticName: string, statisticValue: number) =>
  rest(of, 'POST', `/1.1/leaderboard/${path}/statistics`, [{ statisticName, statisticValue }])

const ranks = async (of: TestApp, path: string, version: number): Promise<{ rank: number; statisticValue: number }[]> =>
  (await rest(of, 'GET', `${BOARDS}/${path}/ranks`, undefined, { version: String(version), maxResultsCount: '1000' }))
    .results

const archivesOf = async (of: TestApp, name: string): Promise<{ status: string; url: string }[]> =>
  (await rest(of, 'GET', `${BOARDS}/${name}/archives`)).results

/** Reads all leaderboard data of an app. */
async function boardsOf(of: TestApp) {
  const { results } = await rest(of, 'GET', BOARDS, undefined, { limit: '1000' })
  const archives = await archivesOf(of, 'points')
  return {
    boards: results,
    rankings: [
      await ranks(of, 'entity/points', 0),
      await ranks(of, 'entity/points', 1),
      await ranks(of, 'user/laps', 0),
      await ranks(of, 'entity/large', 0),
    ],
    around: await rest(of, 'GET', `${BOARDS}/entity/large/ranks/member350`, undefined, { maxResultsCount: '3' }),
    archives: archives.map(({ url: _, ...archive }) => archive),
    files: await Promise.all(archives.map(async ({ url }) => (await fetch(url)).text())),
  }
}

test('leaderboards, ranks, ties and archives are identical in another app', { timeout: 180_000 }, async () => {
  const [app, other] = [await makeApp(), await makeApp()]
  await makeBoard(app, 'points', { memberType: '_Entity', updateStrategy: 'sum', versionChangeInterval: 'month' })
  // Of equal values the first stays ahead, whatever the order of names.
  for (const [entity, value] of [
    ['zoe', 5],
    ['ann', 5],
    ['mia', 5],
    ['bo', 7.25],
  ] as const)
    await write(app, `entities/${entity}`, 'points', value)
  await rest(app, 'PUT', `${BOARDS}/points/incrementVersion`)
  await expect.poll(async () => (await archivesOf(app, 'points'))[0]?.status, { timeout: 60_000 }).toBe('completed')
  for (const entity of ['mia', 'zoe', 'ann']) await write(app, `entities/${entity}`, 'points', -3)
  await makeBoard(app, 'laps', { memberType: '_User', order: 'ascending', updateStrategy: 'last' })
  for (const [username, value] of [
    ['cid', 62.125],
    ['dan', 61],
  ] as const) {
    const { objectId } = await rest(app, 'POST', '/1.1/users', { username, password: 'pass word 1' })
    await write(app, `users/${objectId}`, 'laps', value)
  }
  const { objectId: empty } = await makeBoard(app, 'empty', { memberType: '_Entity', updateStrategy: 'better' })
  await makeBoard(app, 'large', { memberType: '_Entity', updateStrategy: 'better' })
  await app.sql(
    `INSERT INTO "$statistics" (board, version, member, score, reached)
    SELECT board, 0, 'member' || n, -(n % 10), nextval('"$statistics_reached"')
    FROM "$leaderboards", generate_series(1, ${COUNT}) AS n WHERE name = 'large' ORDER BY n * 7919 % ${COUNT}`,
  )
  const before = await boardsOf(app)
  expect(before.boards.map(({ objectId }: { objectId: string }) => objectId)).toContain(empty)
  expect(before.rankings.map(({ length }) => length)).toEqual([4, 3, 2, COUNT])

  const folder = scratchFolder()
  expect((await runFor(app, 'export', '--to', `${folder}/out`)).code).toBe(0)
  const dry = await runFor(other, 'import', '--dry-run', '--report', `${folder}/dry`, `${folder}/out`)
  expect(dry.code, `${dry.stdout}${dry.stderr}`).toBe(0)
  expect((await rest(other, 'GET', BOARDS)).results).toEqual([])
  const into = await runFor(other, 'import', '--report', `${folder}/report`, `${folder}/out`)
  expect(into.code, `${into.stdout}${into.stderr}`).toBe(0)
  expect(await boardsOf(other)).toEqual({ ...before, files: before.files })

  // A member that reaches a value now ranks after earlier ones, and the version numbers continue.
  await write(other, 'entities/aaa', 'points', -3)
  expect((await ranks(other, 'entity/points', 1)).map((row) => (row as unknown as { entity: string }).entity)).toEqual([
    'mia',
    'zoe',
    'ann',
    'aaa',
  ])
  expect(await rest(other, 'PUT', `${BOARDS}/points/incrementVersion`)).toMatchObject({ version: 2 })
  await expect
    .poll(async () => (await archivesOf(other, 'points')).map(({ status }) => status), { timeout: 60_000 })
    .toEqual(['completed', 'completed'])

  const verified = await runFor(other, 'verify', `${folder}/out`)
  // No leaderboard file is listed as a class.
  expect(verified.stdout).not.toMatch(/^leaderboard-/m)
})

test('reports leaderboard records it cannot import, and imports them once corrected', {
  timeout: 120_000,
}, async () => {
  const [app, other] = [await makeApp(), await makeApp()]
  await makeBoard(app, 'points', { memberType: '_Entity' })
  await write(app, 'entities/ann', 'points', 1)
  const folder = scratchFolder()
  expect((await runFor(app, 'export', '--to', `${folder}/out`)).code).toBe(0)
  const names = (await namesIn(`${folder}/out`)).filter((name) => name.startsWith('leaderboard-'))
  expect(names).toEqual([
    'leaderboard-boards.0.jsonl',
    expect.stringMatching(/^leaderboard-values\.\d+\.0\.00000\.jsonl$/),
  ])
  const [boards, values] = names.map((name) => `${folder}/out/${name}`) as [string, string]
  const [board] = await recordsIn(`${folder}/out`, names[0]!)

  // Values cannot be imported without their leaderboard.
  const early = await runFor(other, 'import', '--report', `${folder}/early`, values)
  expect(early.code).not.toBe(0)
  await writeFile(
    `${folder}/wrong.jsonl`,
    `#filetype:JSON-streaming {"type":"Leaderboards"}\n${JSON.stringify({ ...board, version: -1 })}\n`,
  )
  const wrong = await runFor(other, 'import', '--report', `${folder}/wrong`, `${folder}/wrong.jsonl`)
  expect(wrong.code).not.toBe(0)
  expect(await recordsIn(`${folder}/wrong`, 'rejected.jsonl')).toMatchObject([
    { className: 'leaderboard-boards', reason: expect.stringContaining("'version' must be a whole number") },
  ])

  expect((await runFor(other, 'import', '--report', `${folder}/boards`, boards)).code).toBe(0)
  const again = await runFor(other, 'import', '--report', `${folder}/again`, `${folder}/early/rejected.jsonl`)
  expect(again.code, `${again.stdout}${again.stderr}`).toBe(0)
  expect(await ranks(other, 'entity/points', 0)).toMatchObject([{ rank: 0, statisticValue: 1, entity: 'ann' }])

  // An existing leaderboard stays unchanged, and one with another order rejects these values.
  const third = await makeApp()
  await makeBoard(third, 'points', { memberType: '_Entity', order: 'ascending' })
  const unfit = await runFor(third, 'import', '--report', `${folder}/order`, boards)
  expect(unfit.code).not.toBe(0)
  expect((await recordsIn(`${folder}/order`, 'rejected.jsonl'))[0].reason).toContain('ascending order')
})
