import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'
import { ADMIN_TOKEN, startFilesServer } from './own-server.ts'
import { askToken, fetchBytes, put, until, upload } from './uploading.ts'

const { app, program, home } = await startFilesServer()

const LONG_AGO = new Date(Date.now() - 49 * 3_600_000)
const folder = join(home.data, 'files', app.appId)
const check = async (...flags: string[]) => {
  const run = await runProgram(['files', 'check', '--url', program.url, '--app', app.appId, ...flags], {
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  return { code: run.code, text: run.stdout, error: run.stderr }
}
const checkJson = async (...flags: string[]) => {
  const { code, text } = await check('--json', ...flags)
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { code, findings: lines.slice(0, -1), sum: lines.at(-1) }
}
const blobOf = async (key: string) =>
  String((await app.sql('SELECT blob FROM "$files" WHERE key = $1', [key])).rows[0].blob)
const pathOf = (blob: string) => join(folder, blob.slice(0, 2), blob)
const stored = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

test('reports no differences for newly uploaded files', async () => {
  await upload(app, 'a', Buffer.from('aaa'))
  await upload(app, 'empty', Buffer.alloc(0))
  // External files have no stored bytes.
  await app.request('POST', '/1.1/files', { body: { name: 'x', url: 'https://example.org/x.png' } })
  expect(await check('--checksums')).toMatchObject({ code: 0, text: `${app.appId}  2 files, no problems\n` })
})

test('reports each kind of difference, using checksums on request', async () => {
  const [gone, short, other, noRow] = [
    await upload(app, 'gone', Buffer.from('1234')),
    await upload(app, 'short', Buffer.from('1234')),
    await upload(app, 'other', Buffer.from('1234')),
    await upload(app, 'no row', Buffer.from('1234')),
  ]
  const blobs = [await blobOf(gone.key), await blobOf(short.key), await blobOf(other.key)] as const
  rmSync(pathOf(blobs[0]))
  truncateSync(pathOf(blobs[1]), 2)
  writeFileSync(pathOf(blobs[2]), '4321')
  await app.sql('DELETE FROM "$files" WHERE key = $1', [noRow.key])
  const told = [
    { app: app.appId, kind: 'record without bytes', objectId: noRow.objectId, key: noRow.key },
    { app: app.appId, kind: 'bytes missing', key: gone.key, blob: blobs[0] },
    { app: app.appId, kind: 'bytes of another size', key: short.key, blob: blobs[1] },
  ]
  const quick = await checkJson()
  expect(quick.findings).toHaveLength(3)
  expect(quick.findings).toEqual(expect.arrayContaining(told))
  expect(quick).toMatchObject({ code: 3, sum: { app: app.appId, files: 5, found: 3, removed: 0 } })
  const slow = await checkJson('--checksums')
  expect(slow.findings).toHaveLength(4)
  expect(slow.findings).toContainEqual({
    app: app.appId,
    kind: 'bytes of another checksum',
    key: other.key,
    blob: blobs[2],
  })
  // A repair removes unreferenced bytes, but not records with missing bytes.
  expect((await checkJson('--repair')).code).toBe(3)
  expect((await app.request('GET', `/1.1/files/${gone.objectId}`)).body).toMatchObject({ key: gone.key })
  for (const { objectId } of [gone, short, other, noRow])
    await app.request('DELETE', `/1.1/files/${objectId}`, { master: true })
  expect((await check()).code).toBe(0)
})

test('reports unreferenced bytes after a day, and removes them on repair', async () => {
  const kept = await upload(app, 'kept', Buffer.from('kept'))
  const keptPath = pathOf(await blobOf(kept.key))
  const [young, old] = [pathOf('ab'.repeat(16)), pathOf('cd'.repeat(16))]
  for (const path of [young, old]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'stray')
  }
  for (const path of [old, keptPath]) utimesSync(path, LONG_AGO, LONG_AGO)
  const stray = await upload(app, 'stray', Buffer.from('stray'))
  await app.sql(`UPDATE "$files" SET stored_at = now() - interval '2 days'`)
  await withoutTrigger(() => app.request('DELETE', `/1.1/files/${stray.objectId}`, { master: true }))
  const told = [
    { app: app.appId, kind: 'bytes without record', key: stray.key },
    { app: app.appId, kind: 'bytes that nothing knows', blob: basename(old) },
  ]
  expect(await checkJson()).toMatchObject({ code: 3, findings: told })
  expect(stored()).toContain(basename(old))
  const removed = told.map((finding) => ({ ...finding, removed: true }))
  expect(await checkJson('--repair')).toMatchObject({ code: 0, findings: removed })
  expect((await checkJson()).code).toBe(0)
  expect(stored()).not.toContain(basename(old))
  expect(stored()).toContain(basename(young))
  expect(await fetchBytes(stray.url)).toBeNull()
  expect(await fetchBytes(kept.url)).toEqual(Buffer.from('kept'))
  rmSync(young)
})

/** Runs `work` while deleted records keep their bytes. */
async function withoutTrigger(work: () => Promise<unknown>): Promise<void> {
  const { rows } = await app.sql(`
    SELECT tgrelid::regclass AS name FROM pg_trigger
    WHERE tgname = 'forget_bytes' AND tgrelid::regclass::text LIKE '%_File%'
      AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))`)
  await app.sql(`ALTER TABLE ${rows[0].name} DISABLE TRIGGER forget_bytes`)
  await work()
  await app.sql(`ALTER TABLE ${rows[0].name} ENABLE TRIGGER forget_bytes`)
}

test('a repair removes unfinished uploads after a day', async () => {
  const before = stored().length
  const { upload_url: url } = await askToken(app, { name: 'parts', metaData: { size: 10 } })
  const parts = `${url}/buckets/b/objects/~/uploads`
  const { uploadId } = (await (await fetch(parts, { method: 'POST' })).json()) as { uploadId: string }
  await put(`${parts}/${uploadId}/1`, Buffer.from('1'))
  const temporary = join(folder, 'ab', '.tmp-left-behind')
  writeFileSync(temporary, 'x')
  await check('--repair')
  expect(stored()).toHaveLength(before + 2)
  utimesSync(temporary, LONG_AGO, LONG_AGO)
  await app.sql(`UPDATE "$uploads" SET created_at = created_at - interval '2 days'`)
  expect((await check('--repair')).code).toBe(0)
  await until(async () => stored().length === before)
})

test('checks more files than fit on one page', async () => {
  await app.sql(`
    INSERT INTO "$files" (key, blob, size, md5, mime_type, name)
    SELECT 'many/' || n, 'none' || n, 1, '', 'text/plain', 'x' FROM generate_series(1, 2500) AS n`)
  const { findings } = await checkJson()
  expect(findings.filter(({ kind }) => kind === 'bytes missing')).toHaveLength(2500)
  await app.sql(`DELETE FROM "$files" WHERE key LIKE 'many/%'`)
})

test('reports an unreachable store', async () => {
  renameSync(join(home.data, 'files'), join(home.data, 'away'))
  try {
    expect(await check()).toMatchObject({ code: 1, error: expect.stringMatching(/files cannot be stored/) })
  } finally {
    renameSync(join(home.data, 'away'), join(home.data, 'files'))
  }
  expect((await check()).code).toBe(0)
})
