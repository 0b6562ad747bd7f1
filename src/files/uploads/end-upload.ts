import { Readable } from 'node:stream'
import { errors } from '../../errors.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { FILE, type Files } from '../files.ts'
import { SNIFFED_BYTES } from '../mime-type.ts'
import { newBlob } from '../orphaned-blobs.ts'
import { charge } from './charge.ts'
import { checkSize, finishUpload } from './finish-upload.ts'
import { Beginning, orGiveUp, receiveUpload, typeFor } from './receive-upload.ts'
import { deleteUpload, findUpload, type Upload } from './upload-table.ts'

/**
 * Handles a client's report about its upload (protocol/files, Upload, step 3). A failed upload is deleted, even if its bytes
 * arrived and only the response was lost. A direct upload becomes a file now. Repeated reports and unknown tokens are ignored,
 * because clients do not wait for the response.
 * @throws ApiError 1 when the bytes of a direct upload are missing or have another size
 */
export async function endUpload(files: Files, token: string, succeeded: boolean): Promise<void> {
  const upload = await findUpload(files, token)
  if (!upload) return
  if (!succeeded) return undo(files, upload)
  if (!upload.stored && upload.blob !== null) await takeDirect(files, upload, upload.blob)
  else if (!upload.stored && upload.size === 0) await takeNothing(files, upload)
  // While the bytes are still being received, the token is needed.
  if (upload.stored || upload.blob !== null) await deleteUpload(files.database, files.tables, upload)
}

/** Stores an empty file. The Java SDK sends no bytes for it, only the report (protocol/files, Upload by provider). */
async function takeNothing(files: Files, upload: Upload): Promise<void> {
  const nothing = { source: Readable.from([]), length: 0, address: '', signal: new AbortController().signal }
  await receiveUpload(files, upload, nothing)
}

async function undo(files: Files, upload: Upload): Promise<void> {
  if (upload.stored) await deleteObject(files.objects, FILE, upload.fileId, null, MASTER)
  await deleteUpload(files.database, files.tables, upload)
}

/**
 * Creates a file from a copy, because the client can overwrite its own object while its URL is valid. The sweep deletes the
 * client's object like any unfinished upload.
 */
async function takeDirect(files: Files, upload: Upload, put: string): Promise<void> {
  const { appId, blobs } = files
  const found = await blobs.stat(appId, put)
  if (!found) throw errors.badArgument('The bytes of this upload are not in the file storage. Upload them first.')
  checkSize(upload, found.size)
  await charge(files, upload, found.size)
  const blob = await newBlob(files)
  await orGiveUp(files, blob, async () => {
    await blobs.copy(appId, put, blob)
    // The client may have overwritten its object between the check and the copy.
    const stored = await blobs.stat(appId, blob)
    if (!stored) throw errors.unavailable()
    // Without an MD5 from the store, the client's is used: reading the file would cost more than the upload did.
    const md5 = stored.md5 ?? upload.record.checksum ?? ''
    await finishUpload(files, upload, blob, { size: stored.size, md5 }, await typeOfStored(files, upload, blob))
  })
}

async function typeOfStored(files: Files, upload: Upload, blob: string): Promise<string | null> {
  const beginning = new Beginning()
  if (upload.record.mimeType === null) {
    const source = await files.blobs.read(files.appId, blob, { start: 0, end: SNIFFED_BYTES - 1 })
    for await (const _ of beginning.of(source));
  }
  return typeFor(upload, beginning)
}
