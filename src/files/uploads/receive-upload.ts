import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { giveUpBlob, newBlob } from '../loose-blobs.ts'
import { TELLING_BYTES, typeOfBytes } from '../mime-type.ts'
import { checkRoom } from '../room.ts'
import { megabytesOf } from './begin-upload.ts'
import { checkSize, finishUpload, tokenUsed, uploadExpired } from './finish-upload.ts'
import { findUpload, type Upload } from './upload-table.ts'

/** Bytes as they arrive. */
export interface Incoming {
  readonly source: AsyncIterable<Buffer>
  /** How many the sender has announced; null: it has not. */
  readonly length: number | null
  /** IP address of the sender. */
  readonly address: string
  /** Aborted when the sender goes away. */
  readonly signal: AbortSignal
}

/** The upload of a token that can be used still. @throws ApiError 403 */
export async function openUpload(files: Files, token: string): Promise<Upload> {
  const upload = await findUpload(files, token)
  if (!upload) throw uploadExpired()
  if (upload.stored) throw tokenUsed()
  return upload
}

/**
 * Takes the bytes of an upload, all at once (protocol/files, Upload by provider).
 * @throws ApiError 1, 403, 413, 429, 503; then nothing of it is left, and the token may be used again unless it was 403
 */
export async function receiveUpload(files: Files, upload: Upload, incoming: Incoming): Promise<StoredBlob> {
  const most = mostBytes(files, upload)
  if (incoming.length !== null) checkLength(upload, incoming.length, most)
  await files.blobs.checkSpace(incoming.length ?? 0)
  await countUntold(files, upload, incoming.length, incoming.address)
  const beginning = new Beginning()
  const { blob, stored } = await storeBlob(files, beginning.of(incoming.source), most, incoming.signal)
  await orGiveUp(files, blob, async () => {
    if (incoming.length === null) await countUntold(files, upload, stored.size, incoming.address)
    await finishUpload(files, upload, blob, stored, await typeFor(upload, beginning))
  })
  return stored
}

/** Writes bytes into a blob that nothing refers to yet. */
export async function storeBlob(
  files: Files,
  source: AsyncIterable<Buffer>,
  most: number,
  signal?: AbortSignal,
): Promise<{ blob: string; stored: StoredBlob }> {
  const blob = await newBlob(files)
  return orGiveUp(files, blob, async () => {
    const stored = await files.blobs.write(files.appId, blob, source, { most, ...(signal && { signal }) })
    return { blob, stored }
  })
}

/** Does what makes use of a blob; when that fails the blob need not wait for a day to be removed. */
export async function orGiveUp<Result>(files: Files, blob: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await giveUpBlob(files, blob)
    throw error
  }
}

/** Bytes that an upload may have. */
export function mostBytes(files: Files, { size }: Upload): number {
  if (size !== null) return size
  return files.settings().maxSize || Number.MAX_SAFE_INTEGER
}

function checkLength(upload: Upload, length: number, most: number): void {
  checkSize(upload, length)
  if (length > most) throw errors.payloadTooLarge()
}

/** Counts bytes of which nobody had said before how many they are. @throws ApiError 154, 429 */
export async function countUntold(
  files: Files,
  { record }: Upload,
  size: number | null,
  address: string,
): Promise<void> {
  if (record.counted || size === null) return
  await files.limits.take('uploadMegabytes', { address, userId: null }, megabytesOf(size))
  await checkRoom(files, size)
}

/** What the bytes of an upload are, where nobody has said it; null where they do not say it either, or need not. */
export async function typeFor({ record }: Upload, beginning: Beginning): Promise<string | null> {
  return record.mimeType === null ? typeOfBytes(beginning.bytes()) : null
}

/** Keeps the first bytes of a stream that somebody else reads: they say of what type it is. */
export class Beginning {
  readonly #chunks: Buffer[] = []
  #kept = 0

  async *of(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of source) {
      if (this.#kept < TELLING_BYTES) {
        const part = Buffer.from(chunk.subarray(0, TELLING_BYTES - this.#kept))
        this.#chunks.push(part)
        this.#kept += part.length
      }
      yield chunk
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
