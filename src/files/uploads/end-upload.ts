import { Readable } from 'node:stream'
import { errors } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { FILE, type Files } from '../files.ts'
import { newBlob } from '../loose-blobs.ts'
import { TELLING_BYTES } from '../mime-type.ts'
import { charge } from './charge.ts'
import { checkSize, finishUpload } from './finish-upload.ts'
import { Beginning, orGiveUp, receiveUpload, typeFor } from './receive-upload.ts'
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
  else if (!upload.stored && upload.size === 0) await takeNothing(files, upload)
  // Where the bytes are still on their way the token is needed.
  if (upload.stored || upload.blob !== null) await deleteUpload(files.database, files.tables, upload)
}

/** Java sends nothing of an empty file, and says that it has (protocol/files, Upload by provider). */
async function takeNothing(files: Files, upload: Upload): Promise<void> {
  const nothing = { source: Readable.from([]), length: 0, address: '', signal: new AbortController().signal }
  await receiveUpload(files, upload, nothing)
}

async function undo(files: Files, upload: Upload): Promise<void> {
  if (upload.stored) await deleteObject(files.objects, FILE, upload.fileId, null, MASTER)
  await deleteUpload(files.database, files.tables, upload)
}

/**
 * Makes a file of a copy: for as long as its URL is good the client can put other bytes where it has put these. What it
 * has put there is swept, as what was never finished is.
 */
async function takeDirect(files: Files, upload: Upload, put: string): Promise<void> {
  const { appId, blobs } = files
  const found = await blobs.stat(appId, put)
  if (!found) throw errors.badArgument('The bytes of this upload are not in the store.')
  checkSize(upload, found.size)
  await charge(files, upload, found.size)
  const blob = await newBlob(files)
  await orGiveUp(files, blob, async () => {
    await blobs.copy(appId, put, blob)
    // Between the look and the copy the client may have put other bytes there.
    const stored = await blobs.stat(appId, blob)
    if (!stored) throw errors.unavailable()
    // What the store does not know is not asked of it: reading the file for its checksum would cost more than the upload.
    const md5 = stored.md5 ?? upload.record.checksum ?? ''
    await finishUpload(files, upload, blob, { size: stored.size, md5 }, await typeOfStored(files, upload, blob))
  })
}

async function typeOfStored(files: Files, upload: Upload, blob: string): Promise<string | null> {
  const beginning = new Beginning()
  if (upload.record.mimeType === null) {
    const source = await files.blobs.read(files.appId, blob, { start: 0, end: TELLING_BYTES - 1 })
    for await (const _ of beginning.of(source));
  }
  return typeFor(upload, beginning)
}
