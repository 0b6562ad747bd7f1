import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFor, scratchFolder } from '../export/exported-app.ts'
import { makeApp } from '../support/app.ts'
import { runVerify } from './verifications.ts'

const source = await makeApp()
const app = await makeApp()
const folder = scratchFolder()
const exported = join(folder, 'out')
const asThere = {
  permissions: { find: 'users', delete: { users: [], roles: ['editor'] } },
  defaultAcl: { _owner: { write: true } },
}
const put = (body: object) => app.admin('PATCH', '/classes/Post', body)

test('permissions are compared with a schema export: more access is unsafe, less is reported', {
  timeout: 240_000,
}, async () => {
  await source.request('POST', '/1.1/classes/Post', { master: true, body: { title: 'x' } })
  expect((await source.admin('PATCH', '/classes/Post', asThere)).status).toBe(200)
  expect((await runFor(source, 'export', '--to', exported)).code).toBe(0)
  expect((await runFor(app, 'import', '--report', join(folder, 'report'), exported)).code).toBe(0)
  const verify = () => runVerify({ app, folder }, [exported])
  const same = await verify()
  expect([same.code, same.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch/)])
  expect(same.stdout).not.toMatch(/Post: |for "/)

  await put({ permissions: { find: 'public' } })
  const open = await verify()
  expect([open.code, open.conclusion]).toEqual([
    3,
    'Not safe to switch: Post: find permission is "public" in the app, "users" in the source.',
  ])
  await put({ permissions: { find: 'users' }, defaultAcl: { '*': { read: true } } })
  expect((await verify()).conclusion).toBe(
    'Not safe to switch: Post: default ACL is {"*":{"read":true}} in the app, {"_owner":{"write":true}} in the source.',
  )

  await put({
    permissions: { find: 'master', delete: 'master' },
    defaultAcl: {},
    indexes: [{ fields: ['title'], unique: true }],
  })
  const closed = await verify()
  expect([closed.code, closed.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch/)])
  for (const line of [
    'Post: find permission is "master" in the app, "users" in the source (stricter in the app)',
    'Post: delete permission is "master" in the app, {"users":[],"roles":["editor"]} in the source (stricter in the app)',
    'Post: default ACL is {} in the app, {"_owner":{"write":true}} in the source (stricter in the app)',
    'Post: indexes that only the app has: unique title',
  ])
    expect(closed.stdout).toContain(line)
})
