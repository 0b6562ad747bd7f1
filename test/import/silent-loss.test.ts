import { symlink } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makeVerifyTarget } from '../verify/verifications.ts'
import { exportFile } from './imports.ts'
import { tarOf } from './tar.ts'
import { zipOf, zipOfParts } from './zip.ts'

const target = await makeVerifyTarget()
const { app } = target
const ids = (className: string) =>
  app
    .request('GET', `/1.1/classes/${className}`, { master: true, query: { order: 'objectId' } })
    .then(({ body }) => body.results?.map(({ objectId }: { objectId: string }) => objectId))
const objects = (className: string) => exportFile(className, [{ objectId: `${className}1` }])

describe('unreadable parts of an archive', { timeout: 240_000 }, () => {
  test('are reported by import and verify each time, and everything else is imported', async () => {
    const inner = zipOfParts([
      { name: 'Inner.0.jsonl', content: objects('Inner') },
      { name: 'Locked.0.jsonl', content: objects('Locked'), flags: 1 },
      { name: 'Packed.0.jsonl', content: objects('Packed'), method: 14 },
    ])
    const archive = await tarOf({
      'Before.0.jsonl': objects('Before'),
      'inner.zip': inner,
      'Cut.0.jsonl.gz': gzipSync(objects('Cut')).subarray(0, 30),
      'desktop.ini': '[.ShellClassInfo]',
      'After.0.jsonl': objects('After'),
    })
    const path = await target.file('lossy.tar.gz', gzipSync(archive))
    for (const round of [1, 2]) {
      const { code, stdout } = await target.run(path)
      expect([round, code]).toEqual([round, 3])
      expect(stdout).toMatch(/inner\.zip\/Locked\.0\.jsonl: the file is protected with a password/)
      expect(stdout).toMatch(/inner\.zip\/Packed\.0\.jsonl: compression with LZMA is not supported/)
      expect(stdout).toMatch(/Cut\.0\.jsonl: the file is truncated/)
      expect(stdout).toMatch(
        round === 1
          ? /7 files, 3 with records, 3 not completely read \(.*\), 1 with nothing to import/
          : /7 files, 0 with records, 3 not completely read \(.*\), 3 already imported, 1 with/,
      )
    }
    for (const className of ['Before', 'Inner', 'After']) expect(await ids(className)).toEqual([`${className}1`])
    const { code, stdout, conclusion } = await target.verify(path)
    expect([code, conclusion]).toEqual([3, expect.stringMatching(/^Not safe to switch: .*Locked/)])
    expect(stdout).toMatch(/7 files, 3 with records/)
  })

  test('are not reported when everything was read', async () => {
    const joined = objects('Joined') + exportFile('_User', [{ objectId: 'joined1', username: 'joined' }])
    const path = await target.file(
      'whole.zip',
      zipOf({ 'joined.0.jsonl': joined, 'a.tar.gz': gzipSync(await tarOf({ 'Whole.0.jsonl': objects('Whole') })) }),
    )
    const { code, stdout, stderr } = await target.run(path)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('whole.zip: 2 files, 2 with records; 3 records, 3 lines, 3 headers')
    expect([await ids('Joined'), await ids('Whole')]).toEqual([['Joined1'], ['Whole1']])
    expect((await app.request('GET', '/1.1/users/joined1', { master: true })).body.username).toBe('joined')
    const verified = await target.verify(path)
    expect([verified.code, verified.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch: all 3 records/)])
  })
})

test('creates a class without objects, also from the hosted service, and verify reports a missing one', {
  timeout: 240_000,
}, async () => {
  const empty = ['Empty', '_Installation', '_Notification', '_Followee', '_Conversation', '_User']
  for (const name of empty) await target.file(`empty/${name}.0.jsonl`, exportFile(name, []))
  await target.file('empty/lists.json', JSON.stringify({ EmptyList: [], FullList: [{ objectId: 'f1' }] }))
  await target.file('empty/Behind.0.jsonl', objects('Behind') + exportFile('EmptyBehind', []))
  const path = `${target.folder}/empty`
  const { code, stdout } = await target.run(path)
  expect([code, stdout]).toEqual([0, expect.stringContaining('Empty: class created without objects')])
  for (const name of ['Empty', 'EmptyList', 'EmptyBehind'])
    expect((await app.admin('GET', `/classes/${name}`)).body.className).toBe(name)
  const safe = await target.verify(path)
  expect([safe.code, safe.conclusion]).toEqual([0, expect.stringMatching(/^Safe to switch/)])
  await app.admin('DELETE', '/classes/Empty')
  expect((await target.verify(path)).conclusion).toMatch(/class Empty is missing in the app/)
})

test('reports members of a relation that were rejected as missing, also of objects without times', {
  timeout: 240_000,
}, async () => {
  const posts = '{"objectId":"p1"}\n{"objectId":"p2"}\n'
  expect((await target.run(await target.file('Owner.jsonl', posts))).code).toBe(0)
  const members = await target.file('_Join:likes:Owner.json', '[{"owningId":"p1","relatedId":"p2"}]')
  expect((await target.run(members)).code).toBe(3)
  const missing = /^Not safe to switch: 1 member of Owner\.likes is missing/
  expect(await target.verify(members)).toMatchObject({ code: 3, conclusion: expect.stringMatching(missing) })

  const named = await target.file('likes.json', '{"results":[{"owningId":{"$oid":"p1"},"relatedId":"p2"}]}')
  const relation = ['--relation', 'Owner.likes:Owner'] as const
  expect((await target.run(...relation, named)).code).toBe(0)
  expect(await target.verify(members)).toMatchObject({ code: 0 })
  await target.file('likes.json', '[{"owningId":"p2","relatedId":"p1"}]')
  expect(await target.verify(...relation, named)).toMatchObject({ code: 3, conclusion: expect.stringMatching(missing) })

  const both = await target.run('--class', 'Owner', ...relation, named)
  expect([both.code, both.stderr]).toEqual([expect.any(Number), expect.stringMatching(/--class and --relation cannot/)])
  expect(both.code).not.toBe(0)
})

test('names links of folders and archives, and does not follow them', { timeout: 240_000 }, async () => {
  await target.file('linked/Real.0.jsonl', objects('Real'))
  await target.file('elsewhere/Other.0.jsonl', objects('Other'))
  await symlink(`${target.folder}/elsewhere/Other.0.jsonl`, `${target.folder}/linked/Other.0.jsonl`)
  await symlink(`${target.folder}/elsewhere`, `${target.folder}/linked/folder`)
  await symlink('/nowhere', `${target.folder}/linked/.hidden`)
  const path = `${target.folder}/linked`
  const { code, stdout } = await target.run(path)
  expect([code, await ids('Real')]).toEqual([3, ['Real1']])
  for (const name of ['Other.0.jsonl', 'folder'])
    expect(stdout).toContain(`linked/${name}: symbolic links are not followed`)
  expect(stdout).not.toContain('hidden')
  const { conclusion } = await target.verify(path)
  expect(conclusion).toMatch(/^Not safe to switch: linked\/Other\.0\.jsonl: symbolic links are not followed/)
})
