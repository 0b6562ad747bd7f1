import { errors } from '../errors.ts'
import { checkFileKey } from './file-key.ts'
import type { Files } from './files.ts'
import { DEFAULT_MIME_TYPE, normalizeMimeType } from './mime-type.ts'
import { storeUnderKey } from './stored-files.ts'
import { orGiveUp, storeBlob } from './uploads/receive-upload.ts'

/** Maximum bytes of a file whose size is unknown: 50 GB. */
const MAX_FILE_BYTES = 50 * 1024 ** 3

/** The known properties of bytes that are imported under their original key. */
export interface MovedBytes {
  readonly key: string
  readonly name: string
  readonly mimeType: string | null
  /** Size in bytes; null: unknown. */
  readonly size: number | null
  /** MD5 in hexadecimal; null: unknown. */
  readonly md5: string | null
}

/**
 * Stores the bytes of an imported record under its original key. Can be repeated with the same bytes.
 * @throws ApiError 1 for an invalid key, or when the bytes do not match the size or MD5; 413, 503; stores nothing in these cases
 */
export async function takeBytes(
  files: Files,
  { key, name, mimeType, size, md5 }: MovedBytes,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  checkFileKey(key)
  await files.blobs.checkSpace(size ?? 0)
  const { blob, stored } = await storeBlob(files, source, MAX_FILE_BYTES, signal)
  await orGiveUp(files, blob, async () => {
    if (md5 !== null && stored.md5 !== md5.toLowerCase())
      throw errors.badArgument(`The MD5 of the received bytes is ${stored.md5}, not ${md5.slice(0, 40)}.`)
    // With a matching MD5 the announced size is ignored.
    if (md5 === null && size !== null && stored.size !== size)
      throw errors.badArgument(`${stored.size} bytes were received, not ${size}.`)
    const file = {
      key,
      blob,
      ...stored,
      name,
      mimeType: normalizeMimeType(mimeType ?? '') ?? DEFAULT_MIME_TYPE,
    }
    await files.database.transaction(async (transaction) => {
      if (!(await storeUnderKey(transaction, files.tables, file))) throw errors.unavailable()
    })
  })
}
