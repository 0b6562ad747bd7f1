import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { createObject } from '../../objects/writing/create.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import { FILE, type Files } from '../files.ts'
import { normalizeMimeType } from '../mime-type.ts'
import { storeUnderKey } from '../stored-files.ts'
import { checkType } from './begin-upload.ts'
import { DEFAULT_TYPE } from './upload-request.ts'
import { type Upload, useUpload } from './upload-table.ts'

/**
 * Creates the record of an upload, assigns the bytes to its key and consumes the token, in one transaction. The caller must
 * delete the blob when it throws.
 * @param type type detected from the bytes, if the client did not specify one
 * @throws ApiError 1 when size or MD5 do not match the token, or the app does not accept the type; 403 when the token has been
 *   used
 */
export async function finishUpload(
  files: Files,
  upload: Upload,
  blob: string,
  { size, md5 }: StoredBlob,
  type: string | null,
): Promise<void> {
  const { key, record, createdAt } = upload
  checkSize(upload, size)
  if (record.checksum !== null && md5 !== record.checksum)
    throw errors.badArgument(`The MD5 of the received bytes is ${md5}, which does not match metaData._checksum.`)
  // The upload may have been begun by an earlier version, which stored the type as the client sent it.
  const mimeType = normalizeMimeType(record.mimeType ?? type ?? DEFAULT_TYPE) ?? DEFAULT_TYPE
  checkType(mimeType, files.settings().types)
  const body = {
    name: record.name,
    key,
    mime_type: mimeType,
    bucket: record.bucket,
    provider: record.provider,
    metaData: { ...record.metaData, size },
    ...(upload.acl && { ACL: upload.acl }),
  }
  const caller: Caller = { master: true, userId: upload.owner, grants: [] }
  await files.database.transaction(async (transaction) => {
    if (!(await useUpload(transaction, files.tables, upload))) throw tokenUsed()
    const stored = { key, blob, size, md5, mimeType, name: record.name }
    if (!(await storeUnderKey(transaction, files.tables, stored))) throw uploadExpired()
    await createObject(files.objects, FILE, body, caller, {
      id: upload.fileId,
      createdAt,
      transaction,
      ...(upload.owner !== null && { owner: upload.owner }),
    })
  })
}

/** Checks that the size matches the token. @throws ApiError 1 */
export function checkSize({ size: wanted }: Upload, size: number): void {
  if (wanted !== null && size !== wanted)
    throw errors.badArgument(`The upload has ${size} bytes; its token allows ${wanted} (metaData.size).`)
}

export function tokenUsed() {
  return errors.forbidden('This upload token was already used; request another one (POST /1.1/fileTokens).')
}

export function uploadExpired() {
  return errors.forbidden('This upload token is invalid or expired; request another one (POST /1.1/fileTokens).')
}
