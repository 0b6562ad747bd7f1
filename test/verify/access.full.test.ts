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
    'Not safe to switch: Post: find is for "public" here, for "users" there.',
  ])
  await put({ permissions: { find: 'users' }, defaultAcl: { '*': { read: true } } })
  expect((await verify()).conclusion).toBe(
    'Not safe to switch: Post: its default ACL is {"*":{"read":true}} here, {"_owner":{"write":true}} there.',
  )

  await put({
    permissions: { find: 'master', delete: 'master' },
    defaultAcl: {},
    indexes: [{ fields: ['title'], unique: true }],
  })
  const closed = await verify()
  expect([closed.code, closed.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch/)])
  for (const line of [
    'Post: find is for "master" here, for "users" there: closed more tightly here',
    'Post: delete is for "master" here, for {"users":[],"roles":["editor"]} there: closed more tightly here',
    'Post: its default ACL is {} here, {"_owner":{"write":true}} there: closed more tightly here',
    'Post has indexes here that it does not have there: unique title',
  ])
    expect(closed.stdout).toContain(line)
})
