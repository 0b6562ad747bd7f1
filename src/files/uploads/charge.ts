import { errors } from '../../errors.ts'
import type { Files } from '../files.ts'
import { maxBytes } from './receive-upload.ts'
import { chargeUpload, type Upload } from './upload-table.ts'

/** Maximum number of times the bytes of an upload may be sent or copied over all attempts, and additional bytes. */
const TRIES = 4
const SPARE = 16 * 1024 * 1024

/**
 * Counts bytes that an upload moves, over all its attempts. Parts may be sent and joined again, but a cheap request must not
 * cause unlimited work.
 * @throws ApiError 413
 */
export async function charge(files: Files, upload: Upload, bytes: number): Promise<void> {
  const max = TRIES * maxBytes(files, upload) + SPARE
  if (!(await chargeUpload(files, upload, bytes, max))) throw errors.payloadTooLarge()
}
