import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { Database } from '../../src/database/pool.ts'
import { LocalBlobs } from '../../src/files/blobs/local-blobs.ts'
import { fileTables } from '../../src/files/files.ts'
import { giveUpBlob, newBlob, removeOrphanedBlobs } from '../../src/files/orphaned-blobs.ts'
import { createLog } from '../../src/log.ts'
import { makeApp } from '../support/app.ts'
import { fileLocations } from '../support/files.ts'
import { source } from './source.ts'

const connectionString = inject('databaseUrl')
const { appId } = await makeApp()
const database = new Database({
  connection: { connectionString },
  maxConnections: 4,
  maxQueryConnections: 2,
  statementTimeout: 10_000,
})
const folder = mkdtempSync(join(tmpdir(), 'homeport-loose-'))
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const blobs = new LocalBlobs(folder, createLog('silent'))
let woken = 0
const { pictures } = fileLocations()
const files = { appId, blobs, database, pictures, tables: fileTables(`app_${appId}`), loosened: () => void woken++ }

async function written(): Promise<string> {
  const blob = await newBlob(files)
  await blobs.write(appId, blob, source(10), { max: 10 })
  return blob
}

test('an abandoned blob is deleted at once', async () => {
  const blob = await written()
  await giveUpBlob(files, blob)
  expect(woken).toBeGreaterThan(0)
  await removeOrphanedBlobs(files)
  expect(await blobs.stat(appId, blob)).toBeNull()
})

test('a blob abandoned while a transaction makes it a file is kept, whatever the reported outcome', async () => {
  const blob = await written()
  const client = new pg.Client({ connectionString, options: `-c search_path="app_${appId}"` })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query('DELETE FROM "$loose_blobs" WHERE blob = $1', [blob])
    await client.query(
      `INSERT INTO "$files" (key, blob, size, md5, mime_type, name) VALUES ('k', $1, 10, '', 'text/plain', 'k')`,
      [blob],
    )
    const givenUp = giveUpBlob(files, blob)
    await removeOrphanedBlobs(files)
    await client.query('COMMIT')
    await givenUp
  } finally {
    await client.end()
  }
  await removeOrphanedBlobs(files)
  expect(await blobs.stat(appId, blob)).toMatchObject({ size: 10 })
})

test('a blob of an app deleted meanwhile is deleted, even without a record', async () => {
  const blob = await written()
  await giveUpBlob({ ...files, tables: fileTables('app_that_is_gone') }, blob)
  expect(await blobs.stat(appId, blob)).toBeNull()
})
