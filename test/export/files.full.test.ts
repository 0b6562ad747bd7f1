import { createHash, randomBytes } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import AV from 'leancloud-storage'
import { expect, test } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import { makeSdkApp, save } from '../support/sdk.ts'
import { withoutProgress } from '../support/without-progress.ts'
import { recordsIn, runFor, scratchFolder } from './exported-app.ts'

const app = await makeSdkApp()
const other = await makeApp()
const folder = join(scratchFolder(), 'out')

async function bytesOf(of: TestApp, key: string) {
  const answer = await fetch(`${of.url}/files/${of.appId}/${key}`)
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

test('exports files with their app and downloads missing files again on resume', { timeout: 120_000 }, async () => {
  const contents = [Buffer.from('一'), randomBytes(300_000)]
  const files = []
  for (const [index, bytes] of contents.entries())
    files.push(await new AV.File(`a ${index}.txt`, bytes, 'text/plain').save())
  await save('Post', { cover: files[0] })
  const keys = (
    await app.request('GET', '/1.1/classes/_File', { master: true, query: { order: 'createdAt' } })
  ).body.results.map(({ key }: { key: string }) => key)

  const out = await runFor(app, 'export', '--to', folder)
  expect([out.code, withoutProgress(out.stderr)]).toEqual([0, ''])
  expect(out.stdout).toContain('Contents of 2 of 2 files downloaded.')
  const listed = await recordsIn(folder, 'file-keys.0.jsonl')
  expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort())
  for (const { key, path, size, md5 } of listed) {
    const bytes = await readFile(join(folder, path))
    expect([bytes.length, createHash('md5').update(bytes).digest('hex')]).toEqual([size, md5])
    expect(bytes.equals(contents[keys.indexOf(key)]!)).toBe(true)
    expect((await stat(join(folder, path))).mode & 0o777).toBe(0o600)
  }

  // As if the export had stopped before `Post`, with a file missing.
  const state = JSON.parse(await readFile(join(folder, 'export.json'), 'utf8'))
  const place = { section: '1 Post', part: 0, after: null }
  await writeFile(join(folder, 'export.json'), JSON.stringify({ ...state, hasFiles: false, place }))
  await rm(join(folder, 'Post.0.jsonl'))
  await rm(join(folder, listed[0].path))
  const before = await stat(join(folder, listed[1].path))
  const again = await runFor(app, 'export', '--to', folder)
  expect([again.code, withoutProgress(again.stderr)]).toEqual([0, ''])
  expect(again.stdout).toContain('2 times')
  expect(await recordsIn(folder, 'Post.0.jsonl')).toHaveLength(1)
  expect((await stat(join(folder, listed[0].path))).size).toBe(listed[0].size)
  expect((await stat(join(folder, listed[1].path))).mtimeMs).toBe(before.mtimeMs)

  const report = scratchFolder()
  const into = await runFor(other, 'import', '--report', report, folder)
  expect([into.code, withoutProgress(into.stderr)]).toEqual([0, ''])
  for (const key of keys) expect(await bytesOf(other, key)).toEqual(await bytesOf(app, key))
  const { body } = await other.request('GET', `/1.1/files/${files[0]!.id}`)
  expect(body.url).toContain(`/files/${other.appId}/${keys[0]}`)

  const repeated = await runFor(other, 'import', '--again', '--report', report, folder)
  expect(repeated.code).toBe(0)
  expect(JSON.parse(await readFile(join(report, 'report.json'), 'utf8')).counts['bytes of files']).toEqual({
    read: 2,
    created: 0,
    updated: 0,
    existing: 2,
    rejected: 0,
  })
  await rm(join(folder, listed[0].path))
  await other.sql('DELETE FROM "$files"')
  const lacking = await runFor(other, 'import', '--report', report, folder)
  expect([lacking.code, lacking.stdout]).toEqual([3, expect.stringContaining(listed[0].path)])
})
