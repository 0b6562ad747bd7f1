import { errors } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { FILE, type Files } from '../files.ts'
import { finishUpload } from './finish-upload.ts'
import { deleteUpload, findUpload, type Upload } from './upload-table.ts'

/**
 * Hears from a client how its upload went (protocol/files, Upload, step 3). One that failed leaves nothing, also where its
 * bytes had arrived and only the answer was lost. One whose bytes went straight to the store becomes a file now. Saying it
 * twice, or of a token that is forgotten, is no fault: clients do not wait for the answer.
 * @throws ApiError 1 when bytes that went to the store are not there, or not as many as they should be
 */
export async function endUpload(files: Files, token: string, succeeded: boolean): Promise<void> {
  const upload = await findUpload(files, token)
  if (!upload) return
  if (!succeeded) return undo(files, upload)
  if (!upload.stored && upload.blob !== null) await takeDirect(files, upload, upload.blob)
  // Where the bytes are still on their way the token is needed.
  if (upload.stored || upload.blob !== null) await deleteUpload(files.database, files.tables, upload)
}

async function undo(files: Files, upload: Upload): Promise<void> {
  if (upload.stored) await deleteObject(files.objects, FILE, upload.fileId, null, MASTER)
  await deleteUpload(files.database, files.tables, upload)
}

async function takeDirect(files: Files, upload: Upload, blob: string): Promise<void> {
  const found = await files.blobs.stat(files.appId, blob)
  if (!found) throw errors.badArgument('The bytes of this upload are not in the store.')
  // What the store does not know is not asked of it: reading the file for its checksum would cost more than the upload.
  const md5 = found.md5 ?? upload.record.checksum ?? ''
  await finishUpload(files, upload, blob, { size: found.size, md5 }, null)
}
