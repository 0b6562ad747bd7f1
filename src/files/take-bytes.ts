import { errors } from '../errors.ts'
import { checkFileKey } from './file-key.ts'
import type { Files } from './files.ts'
import { DEFAULT_MIME_TYPE, normalizeMimeType } from './mime-type.ts'
import { storeUnderKey } from './stored-files.ts'
import { orGiveUp, storeBlob } from './uploads/receive-upload.ts'

/** Bytes that a file may have of which nobody has said how many it has: 50 GB. */
const MOST = 50 * 1024 ** 3

/** What is known of bytes that come from elsewhere with the key that they had there. */
export interface MovedBytes {
  readonly key: string
  readonly name: string
  readonly mimeType: string | null
  /** How many they are; null: not known. */
  readonly size: number | null
  /** Hexadecimal; null: not known. */
  readonly md5: string | null
}

/**
 * Stores the bytes of a record that is moved here, under its old key. The same bytes may come again.
 * @throws ApiError 1 when the key can be none, or the bytes are others than they should be; 413, 503; nothing is left then
 */
export async function takeBytes(
  files: Files,
  { key, name, mimeType, size, md5 }: MovedBytes,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  checkFileKey(key)
  await files.blobs.checkSpace(size ?? 0)
  const { blob, stored } = await storeBlob(files, source, MOST, signal)
  await orGiveUp(files, blob, async () => {
    if (md5 !== null && stored.md5 !== md5.toLowerCase())
      throw errors.badArgument(`The MD5 of what arrived is ${stored.md5}, not ${md5.slice(0, 40)}.`)
    // Who has the right sum has the right bytes, whatever their number was said to be.
    if (md5 === null && size !== null && stored.size !== size)
      throw errors.badArgument(`${stored.size} bytes have arrived, not ${size}.`)
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
