import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFor, scratchFolder } from '../export/exported-app.ts'
import { makePull } from '../pull/pulls.ts'
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

/** Boards of both kinds: one keeps what is better, one what is last. */
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

/** What is changed here, and what is then told of: null where it does not stand against switching. */
const changes: readonly [
  what: string,
  change: (app: TestApp) => Promise<unknown>,
  fault: string | null,
  note?: string,
][] = [
  ['a board is gone', (app) => rest(app, 'DELETE', `${BOARDS}/best`), 'there is no leaderboard best here'],
  [
    'a setting is another',
    (app) => rest(app, 'PUT', `${BOARDS}/best`, { updateStrategy: 'sum' }),
    'leaderboard best: updateStrategy is sum here, better there',
  ],
  [
    'a member is gone',
    (app) => rest(app, 'DELETE', '/1.1/leaderboard/entities/cid/statistics', undefined, { statistics: 'best' }),
    'leaderboard best has 2 members here, 3 there',
  ],
  ['a value is worse', (app) => score(app, 'bob', 'best', 1, true), 'leaderboard best: 1 values are worse here'],
  ['a value is better', (app) => score(app, 'bob', 'best', 99), null, 'leaderboard best: 1 values are others here'],
  [
    'a value is a later one',
    (app) => score(app, 'bob', 'latest', 1),
    null,
    'leaderboard latest: 1 values are others here',
  ],
  ['a member has come', (app) => score(app, 'dan', 'best', 1), null],
  [
    'a version has ended',
    (app) => rest(app, 'PUT', `${BOARDS}/best/incrementVersion`),
    null,
    'leaderboard best is at version 1 here, at 0 there',
  ],
]

describe('leaderboards are compared', { timeout: 400_000 }, () => {
  test('with an export: what is missing or worse stands against switching, what goes on does not', async () => {
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

  test('with an app that runs', async () => {
    const pull = await makePull()
    await fill(pull.source)
    expect((await pull.run()).code).toBe(0)
    const folder = scratchFolder()
    const verify = () =>
      runVerify(
        { app: pull.target, folder },
        ['--from', pull.proxy.url, '--source-app', pull.source.appId, '--rate', '1000'],
        {
          HOMEPORT_SOURCE_MASTER_KEY: pull.source.masterKey,
        },
      )
    expect((await verify()).conclusion).toMatch(/^Safe to switch/)
    await score(pull.target, 'ann', 'best', 2, true)
    expect(await verify()).toMatchObject({
      code: 3,
      conclusion: 'Not safe to switch: leaderboard best: 1 values are worse here.',
    })
  })
})

describe('who may do what is compared', { timeout: 120_000 }, () => {
  test('with a schema export: permissions and the default ACL, each by itself', async () => {
    const source = await makeApp()
    await rest(source, 'POST', '/1.1/classes/Post', { title: 'x' })
    const put = (app: TestApp, body: object) => app.admin('PATCH', '/classes/Post', body)
    const here = {
      permissions: { find: 'users', delete: { users: [], roles: ['editor'] } },
      defaultAcl: { _owner: { write: true } },
    }
    expect((await put(source, here)).status).toBe(200)
    const folder = scratchFolder()
    const exported = join(folder, 'out')
    expect((await runFor(source, 'export', '--to', exported)).code).toBe(0)
    const app = await makeApp()
    expect((await runFor(app, 'import', '--report', join(folder, 'report'), exported)).code).toBe(0)
    const verify = () => runVerify({ app, folder }, [exported])
    expect((await verify()).conclusion).toMatch(/^Safe to switch/)
    await put(app, { permissions: { find: 'public' } })
    expect((await verify()).conclusion).toBe('Not safe to switch: Post: find is for "public" here, for "users" there.')
    await put(app, { permissions: { find: 'users' }, defaultAcl: { '*': { read: true } } })
    expect((await verify()).conclusion).toBe(
      'Not safe to switch: Post: its default ACL is {"*":{"read":true}} here, {"_owner":{"write":true}} there.',
    )
  })
})
