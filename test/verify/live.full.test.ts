import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePull } from '../pull/pulls.ts'
import { runVerify } from './verifications.ts'

const pull = await makePull()
const { source, target, proxy } = pull
const folder = mkdtempSync(join(tmpdir(), 'homeport-verify-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }
const verify = (...args: readonly string[]) =>
  runVerify({ app: target, folder }, ['--from', proxy.url, '--source-app', source.appId, '--rate', '1000', ...args], {
    HOMEPORT_SOURCE_MASTER_KEY: source.masterKey,
  })
const put = (app: typeof source, path: string, body: object) =>
  app.request('PUT', `/1.1/classes/${path}`, { master: true, body })
const post = (app: typeof source, className: string, body: object) =>
  app.request('POST', `/1.1/classes/${className}`, { master: true, body })
const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Fan', objectId })

describe('a pulled live app', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    await pull.fill(
      'Fan',
      Array.from({ length: 2100 }, (_, n) => ({ objectId: `fan${n}`, ...times, n, ACL: { '*': { read: true } } })),
    )
    await pull.fill('Team', [{ objectId: 'team', ...times }])
    await put(source, 'Team/team', {
      fans: { __op: 'AddRelation', objects: ['fan1', 'fan2', 'fan3'].map(pointer) },
    })
    const { body } = await post(source, '_Conversation', { m: ['ann', 'bob'], c: 'ann', name: 'two' })
    for (const message of ['one', 'two'])
      await source.request('POST', `/1.2/rtm/conversations/${body.objectId}/messages`, {
        master: true,
        body: { from_client: 'ann', message },
      })
    expect((await pull.run()).code).toBe(0)
  }, 120_000)

  test('is safe when all data was copied, also when only a sample is compared in all fields', async () => {
    const { code, conclusion, stdout, stderr, differences } = await verify()
    expect([code, conclusion, differences]).toEqual([
      0,
      'Safe to switch: all 2107 records of the source are in the app and match.',
      [],
    ])
    expect(stdout).toMatch(/^Team\.fans +3 +3 +3 /m)
    expect(stdout).toMatch(/^messaging-messages +2 +2 +2 /m)
    expect(stdout + stderr).not.toContain(source.masterKey)
    const sampled = await verify('--sample', '100')
    expect([sampled.code, sampled.conclusion]).toEqual([
      0,
      expect.stringMatching(/^Safe to switch: all 2107 records of the source are in the app, /),
    ])
  })

  test('distinguishes missed data from later changes', async () => {
    await put(source, 'Fan/fan5', { n: -5 })
    await post(source, 'Fan', { n: 5000 })
    await put(target, 'Fan/fan6', { n: -6 })
    await post(target, 'Fan', { n: 6000 })
    const since = await verify()
    expect([since.code, since.conclusion]).toEqual([
      0,
      'Safe to switch: all 2108 records of the source are in the app and match (but 1 changed in the app since, 1 created in the app since, ' +
        '2 changed in the source since: pull again).',
    ])
    await target.sql(`DELETE FROM "Fan" WHERE id = 'fan7'`)
    await target.sql(`UPDATE "Fan" SET data = data || '{"n": 0}' WHERE id = 'fan8'`)
    await target.sql(`UPDATE "Fan" SET updated_at = updated_at - interval '1 day' WHERE id = 'fan9'`)
    await target.sql(`DELETE FROM "$relations" WHERE related_id = 'fan3'`)
    await target.sql(`UPDATE "$messages" SET content = 'forged' WHERE content = 'one'`)
    await source.request('DELETE', '/1.1/classes/Fan/fan10', { master: true })
    const { code, conclusion, differences } = await verify()
    expect([code, conclusion]).toEqual([
      3,
      'Not safe to switch: 1 object of Fan is missing, 2 objects of Fan differ, 1 object of Fan exists only in the app, ' +
        '1 member of Team.fans is missing, 1 message differs.',
    ])
    const faults = differences.filter(({ what }) => !what.endsWith('since'))
    expect(faults.map(({ class: of, objectId, what, field }) => [of, objectId, what, field].slice(0, 4))).toEqual(
      expect.arrayContaining([
        ['Fan', 'fan7', 'missing', undefined],
        ['Fan', 'fan8', 'differs', 'n'],
        ['Fan', 'fan9', 'differs', 'updatedAt'],
        ['Fan', 'fan10', 'only here', undefined],
        ['Team.fans', 'team → fan3', 'missing', undefined],
      ]),
    )
  })

  test('that is unreachable is a failure, not a difference', async () => {
    const wrong = await verify('--master-key', 'wrong-key-of-the-test')
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/401 .*check --source-app and the master key/),
    ])
    expect(wrong.stderr).not.toContain('wrong-key-of-the-test')
  })
})
