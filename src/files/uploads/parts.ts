import { crc32 } from 'node:zlib'
import { type Decoder, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import { BlobMissing, type StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { useBlob } from '../orphaned-blobs.ts'
import { checkRoom } from '../room.ts'
import { charge } from './charge.ts'
import { finishUpload, tokenUsed, uploadExpired } from './finish-upload.ts'
import { Beginning, countUnannounced, type Incoming, maxBytes, orGiveUp, storeBlob, typeFor } from './receive-upload.ts'
import { chargeUpload, isStored, type Upload } from './upload-table.ts'

/** Maximum bytes of a part. Clients send parts of 4 or 16 MB. */
const MAX_PART = 64 * 1024 * 1024

/** Maximum rows of an upload: parts, or pieces of blocks. */
export const MAX_PARTS = 10_000

/** Minimum bytes that a part is charged for. */
const MIN_COST = 64 * 1024

/** A piece of an upload that has arrived: a numbered part, or a section of a block. */
export interface Part {
  readonly part: string
  /** Offset in the part or block. */
  readonly start: number
  readonly blob: string
  /** Bytes. */
  readonly size: number
  readonly md5: string
}

export interface StoredPart extends StoredBlob {
  /** CRC-32 of the bytes, as in the provider's responses. */
  readonly crc32: number
}

/**
 * Stores a piece of an upload. A repeated piece replaces the previous one.
 * @throws ApiError 1, 403, 413, 429, 503
 */
export async function receivePart(
  files: Files,
  upload: Upload,
  part: string,
  start: number,
  incoming: Incoming,
): Promise<StoredPart> {
  const max = Math.min(MAX_PART, maxBytes(files, upload))
  if (incoming.length !== null && incoming.length > max) throw errors.payloadTooLarge()
  await files.blobs.checkSpace(incoming.length ?? 0)
  await checkSum(files, upload)
  await countUnannounced(files, upload, incoming.length ?? max, incoming.address)
  const expected = costOf(incoming.length ?? max)
  await charge(files, upload, expected)
  let cost = 0
  try {
    const stored = await storePart(files, upload, { part, start }, max, incoming)
    cost = costOf(stored.size)
    return stored
  } finally {
    // Refunds the difference: an interrupted part is sent again and stores nothing.
    if (cost < expected) await chargeUpload(files, upload, cost - expected, Number.MAX_SAFE_INTEGER).catch(() => {})
  }
}

async function storePart(
  files: Files,
  upload: Upload,
  at: Pick<Part, 'part' | 'start'>,
  max: number,
  { source, signal, length }: Incoming,
): Promise<StoredPart> {
  let sum = 0
  async function* summed() {
    for await (const chunk of source) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  }
  const { blob, stored } = await storeBlob(files, summed(), max, signal)
  await orGiveUp(files, blob, async () => {
    if (length !== null && stored.size !== length)
      throw errors.badArgument(`${length} bytes were announced, ${stored.size} received.`)
    await keepPart(files, upload, { ...at, blob, ...stored })
  })
  return { ...stored, crc32: sum }
}

/** Returns the charged bytes. Each part is a file, so small parts have a minimum cost. */
function costOf(size: number): number {
  return Math.max(size, MIN_COST)
}

async function keepPart(
  { database, tables, loosened }: Files,
  upload: Upload,
  { part, start, blob, size, md5 }: Part,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await useBlob(transaction, tables, blob))) throw uploadExpired()
    transaction.afterCommit(loosened)
    await transaction.query(sql`
      INSERT INTO ${tables.parts} (token_hash, part, start, blob, size, md5)
      VALUES (${upload.tokenHash}, ${part}, ${start}, ${blob}, ${size}, ${md5})
      ON CONFLICT (token_hash, part, start) DO UPDATE
      SET blob = excluded.blob, size = excluded.size, md5 = excluded.md5`)
  })
}

/** Checks the total of an upload's pieces. @throws ApiError 413 */
async function checkSum(files: Files, upload: Upload): Promise<void> {
  const [row] = await files.database.query(sql`
    SELECT count(*) AS count, coalesce(sum(size), 0) AS size
    FROM ${files.tables.parts}
    WHERE token_hash = ${upload.tokenHash}`)
  // A repeated piece counts twice until it has replaced the previous one.
  if (number('count')(row!) >= MAX_PARTS || number('size')(row!) > 2 * maxBytes(files, upload))
    throw errors.payloadTooLarge()
}

/** Returns the pieces of an upload, ordered by part or block and offset. */
export async function partsOf({ database, tables }: Files, { tokenHash }: Upload): Promise<Part[]> {
  const rows = await database.query(sql`
    SELECT part, start, blob, size, md5
    FROM ${tables.parts}
    WHERE token_hash = ${tokenHash}
    ORDER BY part, start`)
  return rows.map(partOf)
}

const partOf: Decoder<Part> = rowDecoder({
  part: text('part'),
  start: number('start'),
  blob: text('blob'),
  size: number('size'),
  md5: text('md5'),
})

export async function dropParts({ database, tables, loosened }: Files, { tokenHash }: Upload): Promise<void> {
  await database.query(sql`DELETE FROM ${tables.parts} WHERE token_hash = ${tokenHash}`)
  loosened()
}

/**
 * Runs the completion of an upload. A concurrent request that completes it first also removes the pieces; the caller then gets
 * 403 instead of an error about missing pieces.
 * @throws ApiError 403; the errors of `complete`
 */
export async function completeOnce<Result>(
  files: Files,
  upload: Upload,
  complete: () => Promise<Result>,
): Promise<Result> {
  try {
    return await complete()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    const stored = await isStored(files, upload)
    if (stored === null) throw uploadExpired()
    throw stored ? tokenUsed() : error
  }
}

/**
 * Creates the file from its pieces, in the given order.
 * @throws ApiError 1, 403, 413, 503; the pieces are kept for another attempt
 */
export async function joinParts(
  files: Files,
  upload: Upload,
  pieces: readonly Part[],
  { signal }: Pick<Incoming, 'signal'>,
): Promise<StoredBlob> {
  const total = pieces.reduce((sum, { size }) => sum + size, 0)
  const max = maxBytes(files, upload)
  if (total > max) throw errors.payloadTooLarge()
  await charge(files, upload, total)
  async function* all() {
    for (const { blob } of pieces) yield* await readPiece(files, blob)
  }
  const beginning = new Beginning()
  const { blob, stored } = await storeBlob(files, beginning.of(all()), max, signal)
  await orGiveUp(files, blob, async () => {
    await checkRoom(files, stored.size)
    await finishUpload(files, upload, blob, stored, await typeFor(upload, beginning))
  })
  await dropParts(files, upload)
  return stored
}

/** Opens a piece. @throws ApiError 1 when it was replaced or deleted since it was looked up */
async function readPiece({ blobs, appId }: Files, blob: string): Promise<AsyncIterable<Buffer>> {
  try {
    return await blobs.read(appId, blob)
  } catch (error) {
    if (error instanceof BlobMissing)
      throw errors.badArgument(
        'A part of this upload was replaced or removed while the file was assembled. Complete the upload again.',
      )
    throw error
  }
}
