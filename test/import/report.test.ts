import { expect, inject, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()
const { app } = target

async function verify(path: string) {
  return runCommand(['verify', '--app', app.appId, '--url', app.url, path], {
    HOMEPORT_ADMIN_TOKEN: inject('adminToken'),
  })
}

test('a report marks new classes named after a file, warns of open permissions, and lists reasons first', async () => {
  await target.file('plain/Comment.json', '{"objectId":"a","n":1}\n{"objectId":"b c","n":1}\n{"objectId":\n')
  await target.file('plain/Said.0.jsonl', exportFile('Said', [{ objectId: 'a' }]))
  const { code, stdout } = await target.run(`${target.folder}/plain`)
  expect(code).toBe(3)
  const report = await target.report()
  expect(report.newClasses).toEqual([{ name: 'Comment', file: 'plain/Comment.json' }])
  expect(report.remarks).toEqual([expect.stringMatching(/^No schema export .* open: Comment, Said\./)])
  expect(stdout).toContain('New classes named after a file:\n  Comment (plain/Comment.json)\n')
  expect((await target.rejected()).map(({ reason }) => reason)).toEqual([
    'An object id must be 1 to 128 letters and digits, not "b c".',
    'The line must be valid JSON.',
  ])

  // The class exists by now, and its permissions are closed.
  const permissions = { find: 'users', update: 'master', delete: 'master' }
  await app.admin('PATCH', '/classes/Comment', { permissions })
  const more = await target.file('Comment.json', '{"objectId":"c","n":2}\n{"objectId":"d","n":2}\n')
  expect((await target.run(more)).code).toBe(0)
  expect(await target.report()).toMatchObject({ newClasses: [], remarks: [] })
})

test('applies, reports and verifies a schema export with indexes on missing columns', async () => {
  const nobody = { '*': false }
  const schema = {
    Post: {
      schema: { url: { type: 'String' }, n: { type: 'Number' } },
      permissions: { find: { '*': true }, update: nobody, delete: nobody },
      indexes: [
        { key: { subscriptionUri: 1 }, name: 'subscriptionUri_1', unique: true, sparse: true },
        { key: { 'meta.deep': 1 }, name: 'meta.deep_1', unique: true },
        { key: { url: 1 }, name: 'url_1', unique: true },
      ],
    },
    _User: { schema: {}, indexes: [{ key: { sessionToken: 1 }, name: 'sessionToken_1', unique: true }] },
    _Product: { schema: { name: { type: 'String' } } },
  }
  for (const [name, all] of Object.entries(schema))
    await target.file(`export/schema/${name}_all.json`, JSON.stringify(all))
  await target.file('export/Post.0.jsonl', exportFile('Post', [{ objectId: 'a', url: '/a', n: 1 }]))
  const folder = `${target.folder}/export`
  expect((await target.run(folder)).code).toBe(0)
  expect(await target.report()).toMatchObject({
    schema: expect.arrayContaining([
      "Post: index unique subscriptionUri: the class has no field 'subscriptionUri'",
      expect.stringMatching(/^Post: index .*meta\.deep/),
      '_Product: not a built-in class of Homeport',
    ]),
    remarks: [],
  })
  expect((await app.admin('GET', '/classes/Post')).body.indexes).toEqual(['unique url'])
  expect(await verify(folder)).toMatchObject({ code: 0, stdout: expect.stringContaining('Safe to switch') })
})
