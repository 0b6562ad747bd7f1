import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { SNIFFED_BYTES, typeOfBytes } from '../mime-type.ts'
import { giveUpBlob, newBlob } from '../orphaned-blobs.ts'
import { checkRoom } from '../room.ts'
import { megabytesOf } from './begin-upload.ts'
import { checkSize, finishUpload, tokenUsed, uploadExpired } from './finish-upload.ts'
import { findUpload, type Upload } from './upload-table.ts'

/** The bytes of a request as they arrive. */
export interface Incoming {
  readonly source: AsyncIterable<Buffer>
  /** Announced number of bytes; null: not announced. */
  readonly length: number | null
  /** IP address of the sender. */
  readonly address: string
  /** Aborts when the sender disconnects. */
  readonly signal: AbortSignal
}

/** Returns the upload of a token that is still valid. @throws ApiError 403 */
export async function openUpload(files: Files, token: string): Promise<Upload> {
  const upload = await findUpload(files, token)
  if (!upload) throw uploadExpired()
  if (upload.stored) throw tokenUsed()
  return upload
}

/**
 * Stores all bytes of an upload (protocol/files, Upload by provider).
 * @throws ApiError 1, 403, 413, 429, 503; stores nothing in these cases, and the token remains valid except after 403
 */
export async function receiveUpload(files: Files, upload: Upload, incoming: Incoming): Promise<StoredBlob> {
  const max = maxBytes(files, upload)
  if (incoming.length !== null) checkLength(upload, incoming.length, max)
  await files.blobs.checkSpace(incoming.length ?? 0)
  await countUnannounced(files, upload, incoming.length, incoming.address)
  const beginning = new Beginning()
  const { blob, stored } = await storeBlob(files, beginning.of(incoming.source), max, incoming.signal)
  await orGiveUp(files, blob, async () => {
    if (incoming.length === null) await countUnannounced(files, upload, stored.size, incoming.address)
    await finishUpload(files, upload, blob, stored, await typeFor(upload, beginning))
  })
  return stored
}

/** Writes bytes into a new blob that is not referenced yet. */
export async function storeBlob(
  files: Files,
  source: AsyncIterable<Buffer>,
  max: number,
  signal?: AbortSignal,
): Promise<{ blob: string; stored: StoredBlob }> {
  const blob = await newBlob(files)
  return orGiveUp(files, blob, async () => {
    const stored = await files.blobs.write(files.appId, blob, source, { max, ...(signal && { signal }) })
    return { blob, stored }
  })
}

/** Runs work that uses a blob, and abandons the blob when the work fails, so that it is deleted before the daily sweep. */
export async function orGiveUp<Result>(files: Files, blob: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await giveUpBlob(files, blob)
    throw error
  }
}

/** Returns the maximum bytes of an upload. */
export function maxBytes(files: Files, { size }: Upload): number {
  if (size !== null) return size
  return files.settings().maxSize || Number.MAX_SAFE_INTEGER
}

function checkLength(upload: Upload, length: number, max: number): void {
  checkSize(upload, length)
  if (length > max) throw errors.payloadTooLarge()
}

/** Counts bytes that were not announced when the token was issued. @throws ApiError 154, 429 */
export async function countUnannounced(
  files: Files,
  { record }: Upload,
  size: number | null,
  address: string,
): Promise<void> {
  if (record.counted || size === null) return
  await files.limits.take('uploadMegabytes', { address, userId: null }, megabytesOf(size))
  await checkRoom(files, size)
}

/** Detects the type of an upload if the client did not specify it; null when it did, or when detection fails. */
export async function typeFor({ record }: Upload, beginning: Beginning): Promise<string | null> {
  return record.mimeType === null ? typeOfBytes(beginning.bytes()) : null
}

/** Keeps the first bytes of a stream that another consumer reads, for type detection. */
export class Beginning {
  readonly #chunks: Buffer[] = []
  #buffered = 0

  async *of(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of source) {
      if (this.#buffered < SNIFFED_BYTES) {
        const part = Buffer.from(chunk.subarray(0, SNIFFED_BYTES - this.#buffered))
        this.#chunks.push(part)
        this.#buffered += part.length
      }
      yield chunk
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
