import { crc32 } from 'node:zlib'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { useBlob } from '../loose-blobs.ts'
import { typeOfBytes } from '../mime-type.ts'
import { checkRoom } from '../room.ts'
import { checkType } from './begin-upload.ts'
import { finishUpload, uploadExpired } from './finish-upload.ts'
import { Beginning, countUntold, type Incoming, mostBytes, orRemove, storeBlob } from './receive-upload.ts'
import type { Upload } from './upload-table.ts'

/** Bytes of a part: clients send 4 or 16 MB. */
const MAX_PART = 64 * 1024 * 1024

/** Rows that an upload may have: parts, or pieces of blocks. */
const MAX_PARTS = 10_000

/** A piece of an upload that has arrived: a part, or some of a block. */
export interface Part {
  readonly part: string
  /** Where in the part or block it begins. */
  readonly start: number
  readonly blob: string
  /** Bytes. */
  readonly size: number
  readonly md5: string
}

export interface StoredPart extends StoredBlob {
  /** Of the bytes, as the provider's answers say it. */
  readonly crc32: number
}

/**
 * Takes a piece of an upload. One that is sent again takes the place of the one before.
 * @throws ApiError 1, 403, 413, 503
 */
export async function receivePart(
  files: Files,
  upload: Upload,
  part: string,
  start: number,
  { source, signal, length, address }: Incoming,
): Promise<StoredPart> {
  const most = Math.min(MAX_PART, mostBytes(files, upload))
  if (length !== null && length > most) throw errors.payloadTooLarge()
  await checkSum(files, upload)
  await countUntold(files, upload, length ?? MAX_PART, address)
  let sum = 0
  async function* summed() {
    for await (const chunk of source) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  }
  const { blob, stored } = await storeBlob(files, summed(), most, signal)
  await orRemove(files, blob, async () => {
    if (length !== null && stored.size !== length)
      throw errors.badArgument(`${length} bytes were announced, ${stored.size} came.`)
    await keepPart(files, upload, { part, start, blob, ...stored })
  })
  return { ...stored, crc32: sum }
}

async function keepPart(
  { database, tables }: Files,
  upload: Upload,
  { part, start, blob, size, md5 }: Part,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await useBlob(transaction, tables, blob))) throw uploadExpired()
    await transaction.query(sql`
      INSERT INTO ${tables.parts} (token_hash, part, start, blob, size, md5)
      VALUES (${upload.tokenHash}, ${part}, ${start}, ${blob}, ${size}, ${md5})
      ON CONFLICT (token_hash, part, start) DO UPDATE
      SET blob = excluded.blob, size = excluded.size, md5 = excluded.md5`)
  })
}

/** What has come of an upload is bounded as the file is. @throws ApiError 413 */
async function checkSum(files: Files, upload: Upload): Promise<void> {
  const [row] = await files.database.query(sql`
    SELECT count(*) AS count, coalesce(sum(size), 0) AS size
    FROM ${files.tables.parts}
    WHERE token_hash = ${upload.tokenHash}`)
  // What is sent again counts twice until it has taken the place of the one before.
  if (Number(row!.count) >= MAX_PARTS || Number(row!.size) > 2 * mostBytes(files, upload))
    throw errors.payloadTooLarge()
}

/** The pieces of an upload that have arrived, by part or block and where they begin. */
export async function partsOf({ database, tables }: Files, { tokenHash }: Upload): Promise<Part[]> {
  const rows = await database.query(sql`
    SELECT part, start, blob, size, md5
    FROM ${tables.parts}
    WHERE token_hash = ${tokenHash}
    ORDER BY part, start`)
  return rows.map(partOf)
}

function partOf({ part, start, blob, size, md5 }: Row): Part {
  return { part: String(part), start: Number(start), blob: String(blob), size: Number(size), md5: String(md5) }
}

export async function dropParts({ database, tables }: Files, { tokenHash }: Upload): Promise<void> {
  await database.query(sql`DELETE FROM ${tables.parts} WHERE token_hash = ${tokenHash}`)
}

/**
 * Makes the file of its pieces, in this order.
 * @throws ApiError 1, 403, 413, 503; the pieces stay, so that it can be tried again
 */
export async function joinParts(
  files: Files,
  upload: Upload,
  pieces: readonly Part[],
  { signal }: Pick<Incoming, 'signal'>,
): Promise<StoredBlob> {
  const total = pieces.reduce((sum, { size }) => sum + size, 0)
  const most = mostBytes(files, upload)
  if (total > most) throw errors.payloadTooLarge()
  async function* all() {
    for (const { blob } of pieces) yield* await files.blobs.read(files.appId, blob)
  }
  const beginning = new Beginning()
  const { blob, stored } = await storeBlob(files, beginning.of(all()), most, signal)
  await orRemove(files, blob, async () => {
    await checkRoom(files, stored.size)
    const type = upload.record.mimeType ?? (await typeOfBytes(beginning.bytes()))
    if (type !== null) checkType(type, files.settings().types)
    await finishUpload(files, upload, blob, stored, type)
  })
  await dropParts(files, upload)
  return stored
}
