import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFor, scratchFolder } from '../export/exported-app.ts'
import { makePull, type Pull } from '../pull/pulls.ts'
import { makeApp, type TestApp } from '../support/app.ts'
import { runVerify } from './verifications.ts'

const BOARDS = '/1.1/leaderboard/leaderboards'

async function rest(app: TestApp, method: string, path: string, body?: unknown, query?: Record<string, string>) {
  const reply = await app.request(method, path, {
    master: true,
    ...(body !== undefined && { body }),
    ...(query && { query }),
  })
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300)
  return reply.body
}

const score = (app: TestApp, entity: string, statisticName: string, statisticValue: number, overwrite = false) =>
  rest(
    app,
    'POST',
    `/1.1/leaderboard/entities/${entity}/statistics`,
    [{ statisticName, statisticValue }],
    overwrite ? { overwrite: '1' } : undefined,
  )

function verifyLive(pull: Pull, folder: string, ...more: readonly string[]) {
  const args = ['--from', pull.proxy.url, '--source-app', pull.source.appId, '--rate', '1000', ...more]
  return runVerify({ app: pull.target, folder }, args, { HOMEPORT_SOURCE_MASTER_KEY: pull.source.masterKey })
}

/** Creates leaderboards of both kinds: one keeps the better value, one the last. */
async function fill(app: TestApp): Promise<void> {
  await rest(app, 'POST', '/1.1/classes/Post', { title: 'x' })
  for (const [statisticName, updateStrategy] of [
    ['best', 'better'],
    ['latest', 'last'],
  ] as const) {
    await rest(app, 'POST', BOARDS, {
      statisticName,
      updateStrategy,
      memberType: '_Entity',
      versionChangeInterval: 'never',
    })
    for (const [entity, value] of [
      ['ann', 50],
      ['bob', 40],
      ['cid', 30],
    ] as const)
      await score(app, entity, statisticName, value)
  }
}

/** The changes made here, and the reported differences: null when they do not prevent switching. */
const changes: readonly [
  what: string,
  change: (app: TestApp) => Promise<unknown>,
  fault: string | null,
  note?: string,
][] = [
  ['a board is gone', (app) => rest(app, 'DELETE', `${BOARDS}/best`), 'leaderboard best is missing in the app'],
  [
    'a setting is another',
    (app) => rest(app, 'PUT', `${BOARDS}/best`, { updateStrategy: 'sum' }),
    'leaderboard best: updateStrategy is sum in the app, better in the source',
  ],
  [
    'a member is gone',
    (app) => rest(app, 'DELETE', '/1.1/leaderboard/entities/cid/statistics', undefined, { statistics: 'best' }),
    '1 value of leaderboard best is missing',
  ],
  ['a value is worse', (app) => score(app, 'bob', 'best', 1, true), '1 value of leaderboard best differs'],
  ['a value is better', (app) => score(app, 'bob', 'best', 99), null, '1 changed in the app since'],
  ['a value is a later one', (app) => score(app, 'bob', 'latest', 1), null, '1 changed in the app since'],
  ['a member has come', (app) => score(app, 'dan', 'best', 1), null],
  [
    'a version has ended',
    (app) => rest(app, 'PUT', `${BOARDS}/best/incrementVersion`),
    null,
    'leaderboard best is at version 1 in the app, 0 in the source',
  ],
]

describe('leaderboards are compared', { timeout: 400_000 }, () => {
  test('with an export: missing or worse values prevent switching, later changes do not', async () => {
    const source = await makeApp()
    await fill(source)
    const folder = scratchFolder()
    const exported = join(folder, 'out')
    expect((await runFor(source, 'export', '--to', exported)).code).toBe(0)
    for (const [what, change, fault, note] of changes) {
      const app = await makeApp()
      const { code, stderr } = await runFor(app, 'import', '--report', join(folder, 'report'), exported)
      expect([code, stderr], what).toEqual([0, expect.any(String)])
      if (what === changes[0]![0]) {
        const same = await runVerify({ app, folder }, [exported])
        expect([same.code, same.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch/)])
      }
      await change(app)
      const verified = await runVerify({ app, folder }, [exported])
      const conclusion = fault === null ? expect.stringMatching(/^Safe/) : `Not safe to switch: ${fault}.`
      expect([what, verified.code, verified.conclusion]).toEqual([what, fault === null ? 0 : 3, conclusion])
      if (note) expect(verified.stdout).toContain(note)
    }
  })

  test('with a running app', async () => {
    const pull = await makePull()
    await fill(pull.source)
    expect((await pull.run()).code).toBe(0)
    const folder = scratchFolder()
    const verify = () => verifyLive(pull, folder)
    expect((await verify()).conclusion).toMatch(/^Safe to switch/)
    await score(pull.target, 'ann', 'best', 2, true)
    expect(await verify()).toMatchObject({
      code: 3,
      conclusion: 'Not safe to switch: 1 value of leaderboard best differs.',
    })
  })
})

/** More members than a response returns. */
const MANY = 2300

/** Creates two apps with one leaderboard of so many members, one pulled from the other. */
async function pulledMany() {
  const pull = await makePull()
  await rest(pull.source, 'POST', BOARDS, { statisticName: 'many', memberType: '_Entity', order: 'ascending' })
  await pull.source.sql(
    `INSERT INTO "$statistics" (board, version, member, score, reached)
    SELECT board, 0, 'm' || n, n, n FROM "$leaderboards", generate_series(1, ${MANY}) AS n`,
  )
  expect((await pull.run('--no-files')).code).toBe(0)
  return pull
}

describe('a leaderboard with more members than one response returns', { timeout: 240_000 }, () => {
  test('is compared down to its last rank, in an app without other data', async () => {
    const pull = await pulledMany()
    const folder = scratchFolder()
    const verify = (...more: string[]) => verifyLive(pull, folder, ...more)
    const safe = await verify()
    expect([safe.code, safe.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch: all 2300 records/)])
    expect(safe.stdout).toMatch(/^leaderboard many +2300 +2300 /m)
    await score(pull.target, `m${MANY}`, 'many', MANY + 1, true)
    await pull.target.sql(`DELETE FROM "$statistics" WHERE member = 'm${MANY - 1}'`)
    const { code, conclusion, differences } = await verify()
    expect([code, conclusion]).toEqual([
      3,
      'Not safe to switch: 1 value of leaderboard many is missing, 1 value of leaderboard many differs.',
    ])
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ objectId: `m${MANY - 1}`, what: 'missing' }),
        expect.objectContaining({ objectId: `m${MANY}`, field: 'value', there: '2300', here: '2301' }),
      ]),
    )

    // A sample is reported as such, with the total number of members.
    const before = pull.proxy.requested.length
    const sampled = await verify('--sample', '10')
    const pages = pull.proxy.requested.slice(before).filter((path) => /ranks\?startPosition/.test(path))
    expect(pages.length).toBeLessThan(3)
    expect(sampled.stdout).toContain(
      'leaderboard many: a sample of its values was compared; the source has 2300 members',
    )
  })

  test('that loses members outside a sample is not reported safe', async () => {
    const pull = await pulledMany()
    const gone = Array.from({ length: 100 }, (_, n) => `m${MANY - n}`)
    for (const entity of gone)
      await rest(pull.target, 'DELETE', `/1.1/leaderboard/entities/${entity}/statistics`, undefined, {
        statistics: 'many',
      })
    const { conclusion } = await verifyLive(pull, scratchFolder(), '--sample', '10')
    expect(conclusion).toContain('leaderboard many has 2200 members in the app, 2300 in the source')
  })
})

describe('rankings of ended versions', { timeout: 240_000 }, () => {
  test('are reported missing when their files exist, also when their board does not list them', async () => {
    const pull = await makePull()
    await fill(pull.source)
    await rest(pull.source, 'PUT', `${BOARDS}/best/incrementVersion`)
    await score(pull.source, 'ann', 'best', 7)
    const archive = () => rest(pull.source, 'GET', `${BOARDS}/best/archives`)
    await expect.poll(async () => (await archive()).results[0]?.status, { timeout: 60_000 }).toBe('completed')
    // First without the bytes of files.
    expect((await pull.run('--no-files')).code).toBe(0)
    const folder = scratchFolder()
    const without = await verifyLive(pull, folder)
    expect([without.code, without.conclusion]).toEqual([
      3,
      expect.stringContaining('leaderboard best: archives of these versions are missing in the app: 0'),
    ])
    expect((await verifyLive(pull, folder, '--no-files')).conclusion).not.toContain('archives')
    expect((await pull.run('--files-from', `${pull.source.url}/files/${pull.source.appId}`)).code).toBe(0)
    const { conclusion, stdout } = await verifyLive(pull, folder)
    expect(conclusion).toMatch(/^Safe to switch/)
    expect(stdout).toContain(
      'leaderboard best: archives of these versions exist in the app as files, but the leaderboard does not list them: 0',
    )
  })

  test('come with an export, with the values of the previous version', async () => {
    const source = await makeApp()
    await fill(source)
    await rest(source, 'PUT', `${BOARDS}/best/incrementVersion`)
    const status = async () => (await rest(source, 'GET', `${BOARDS}/best/archives`)).results[0]?.status
    await expect.poll(status, { timeout: 60_000 }).toBe('completed')
    const folder = scratchFolder()
    const exported = join(folder, 'out')
    expect((await runFor(source, 'export', '--to', exported)).code).toBe(0)
    const app = await makeApp()
    expect((await runFor(app, 'import', '--report', join(folder, 'report'), exported)).code).toBe(0)
    const verify = () => runVerify({ app, folder }, [exported])
    const safe = await verify()
    expect([safe.conclusion, safe.stdout]).toEqual([
      expect.stringMatching(/^Safe to switch/),
      expect.not.stringContaining('archives'),
    ])
    // The version has ended, so a higher value cannot be a later change.
    await app.sql(`UPDATE "$statistics" SET score = score - 1 WHERE version = 0 AND member = 'ann'
      AND board = (SELECT board FROM "$leaderboards" WHERE name = 'best')`)
    expect((await verify()).conclusion).toBe('Not safe to switch: 1 value of leaderboard best differs.')
  })
})
