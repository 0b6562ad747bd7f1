import { describe, expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull

const BOARDS = '/1.1/leaderboard/leaderboards'
const master = (app: typeof source, method: string, path: string, body?: unknown) =>
  app.request(method, `${BOARDS}${path}`, { master: true, ...(body !== undefined && { body }) })
const score = (app: typeof source, entity: string, statisticName: string, statisticValue: number) =>
  app.request('POST', `/1.1/leaderboard/entities/${entity}/statistics`, {
    master: true,
    body: [{ statisticName, statisticValue }],
  })
const ranksOf = async (app: typeof source, kind: string, name: string) =>
  (await app.request('GET', `${BOARDS}/${kind}/${name}/ranks`, { master: true, query: { maxResultsCount: '1000' } }))
    .body.results

/** Runs a pull without files: archives of ended versions are files at a URL not configured here. */
async function run() {
  const { code, stdout } = await pull.run('--no-files')
  expect([code, stdout]).toEqual([0, expect.any(String)])
}

describe('leaderboards', { timeout: 120_000 }, () => {
  test('are copied with settings, versions and ranks, and members of equal values keep their order', async () => {
    await master(source, 'POST', '', { statisticName: 'best', memberType: '_Entity', order: 'descending' })
    await master(source, 'POST', '', { statisticName: 'fast', order: 'ascending', versionChangeInterval: 'never' })
    const ann = await source.makeUser('ann')
    await score(source, 'early', 'best', 10)
    await master(source, 'PUT', '/best/incrementVersion')
    for (const [entity, value] of [
      ['zoe', 50],
      ['amy', 50],
      ['max', 70],
      ['kim', -3.5],
    ] as const)
      await score(source, entity, 'best', value)
    const body = [{ statisticName: 'fast', statisticValue: 12 }]
    await source.request('POST', `/1.1/leaderboard/users/${ann.id}/statistics`, { master: true, body })
    await run()
    expect(await ranksOf(target, 'entity', 'best')).toEqual(await ranksOf(source, 'entity', 'best'))
    expect((await ranksOf(target, 'user', 'fast'))[0]).toMatchObject({ statisticValue: 12, user: { objectId: ann.id } })
    const settings = async (app: typeof source) =>
      (await master(app, 'GET', '')).body.results.map(
        ({ objectId: _, createdAt: __, updatedAt: ___, activatedAt: ____, ...rest }: Record<string, unknown>) => rest,
      )
    expect(await settings(target)).toEqual(await settings(source))
    expect((await pull.report()).counts['leaderboard best']).toMatchObject({ read: 4, created: 4 })
  })

  test('are updated by another pull, which keeps better values here', async () => {
    await score(target, 'kim', 'best', 1000)
    await score(source, 'kim', 'best', 20)
    await score(source, 'zoe', 'best', 90)
    await run()
    const values = async () =>
      (await ranksOf(target, 'entity', 'best')).map((row: { entity: string; statisticValue: number }) => [
        row.entity,
        row.statisticValue,
      ])
    expect(await values()).toEqual([
      ['kim', 1000],
      ['zoe', 90],
      ['max', 70],
      ['amy', 50],
    ])
    await master(source, 'PUT', '/best/incrementVersion')
    await score(source, 'new', 'best', 1)
    await run()
    expect(await values()).toEqual([['new', 1]])
    expect((await master(target, 'GET', '/best')).body.version).toBe(2)
  })

  test('with other members than the existing board are reported and skipped', async () => {
    await master(source, 'POST', '', { statisticName: 'other', memberType: '_Entity' })
    await master(target, 'POST', '', { statisticName: 'other', memberType: '_User' })
    const { code, stdout } = await pull.run()
    expect([code, stdout]).toEqual([3, expect.stringContaining('leaderboard other:')])
  })

  test('are complete from a source with small pages, and members omitted from a ranking are reported', async () => {
    const other = await makePull()
    for (const name of ['a', 'b', 'c']) {
      await master(other.source, 'POST', '', { statisticName: name, memberType: '_Entity' })
      for (const entity of ['ann', 'bob']) await score(other.source, entity, name, 1)
    }
    type Answer = { results: object[] }
    other.proxy.misbehave((path) => {
      const skip = Number(/leaderboards\?.*skip=(\d+)/.exec(path)?.[1] ?? -1)
      if (skip >= 0) return ({ results }: Answer) => ({ results: results.slice(skip, skip + 1) })
      const isCut = path.includes('/entity/b/ranks') && !path.includes('count=1')
      return isCut
        ? ({ results }: Answer) => ({ results: results.slice(0, 1).filter(() => path.includes('startPosition=0')) })
        : undefined
    })
    const { code, stdout } = await other.run('--no-files')
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining('leaderboard b: the source counts 2 members, but returned 1'),
    ])
    for (const [name, members] of [
      ['a', 2],
      ['b', 1],
      ['c', 2],
    ] as const)
      expect(await ranksOf(other.target, 'entity', name)).toHaveLength(members)
  })
})
