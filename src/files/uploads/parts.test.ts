import { expect, it } from 'vitest'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Files } from '../files.ts'
import { completeOnce } from './parts.ts'
import type { Upload } from './upload-table.ts'

const missing = errors.badArgument('Part 1 is missing.')

/** Completes an upload whose pieces are missing. */
const complete = (rows: readonly { stored: boolean }[], error: Error = missing) => {
  const files = { database: { query: async () => rows }, tables: { uploads: sql`uploads` } } as unknown as Files
  return completeOnce(files, { tokenHash: 'hash' } as Upload, () => Promise.reject(error))
}

it('reports a used token when another request completed the upload and removed its pieces', async () => {
  await expect(complete([{ stored: true }])).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('already used'),
  })
})

it('reports an expired token when the upload was deleted', async () => {
  await expect(complete([])).rejects.toMatchObject({ status: 403, message: expect.stringContaining('expired') })
})

it('reports missing pieces while the upload is not stored', async () => {
  await expect(complete([{ stored: false }])).rejects.toBe(missing)
})

it('passes on errors that are not about the request', async () => {
  const unavailable = errors.unavailable()
  await expect(complete([{ stored: true }], unavailable)).rejects.toBe(unavailable)
})
