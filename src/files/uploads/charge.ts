import { errors } from '../../errors.ts'
import type { Files } from '../files.ts'
import { mostBytes } from './receive-upload.ts'
import { chargeUpload, type Upload } from './upload-table.ts'

/** How often the bytes of an upload may be sent or copied, all its tries together, and how many bytes beyond that. */
const TRIES = 4
const SPARE = 16 * 1024 * 1024

/**
 * Takes bytes from those that all tries of an upload may move: parts are sent again, and put together again, but what
 * costs its sender a few bytes is not done for ever.
 * @throws ApiError 413
 */
export async function charge(files: Files, upload: Upload, bytes: number): Promise<void> {
  const most = TRIES * mostBytes(files, upload) + SPARE
  if (!(await chargeUpload(files, upload, bytes, most))) throw errors.payloadTooLarge()
}
