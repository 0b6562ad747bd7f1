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
