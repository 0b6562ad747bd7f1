import { errors } from '../../errors.ts'
import { parseAcl } from '../../objects/access/acl.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { newObjectId } from '../../values/names.ts'
import { newSecret } from '../../values/secrets.ts'
import { FILE, type Files } from '../files.ts'
import { isAllowedType } from '../mime-type.ts'
import { newBlob } from '../orphaned-blobs.ts'
import { checkRoom } from '../room.ts'
import { mayPutDirectly } from './direct-upload.ts'
import { chooseProvider, type Provider } from './provider.ts'
import { DEFAULT_TYPE, parseUploadRequest } from './upload-request.ts'
import { hashOfToken, insertUpload } from './upload-table.ts'

/** The response to a client that wants to upload. */
export interface BegunUpload {
  readonly objectId: string
  /** ISO date. */
  readonly createdAt: string
  readonly token: string
  readonly key: string
  readonly name: string
  readonly mimeType: string
  readonly provider: Provider
  /** URL to which the client sends the bytes directly; null: it sends them to this server. */
  readonly directUrl: string | null
}

/** Lifetime of a URL for direct uploads in seconds. */
const DIRECT_SECONDS = 3600

/** The same bucket name for all uploads. The actual location follows from the URL sent with it. */
export const BUCKET = 'homeport'

/**
 * Issues a token for one upload (protocol/files, Upload). The record is created when the bytes arrive, so an abandoned upload
 * leaves nothing.
 * @param userAgent the client's `X-LC-UA` or `User-Agent`
 * @throws ApiError 1 and 123 for an invalid body; 1 for a type that the app does not accept; 403 when the class permissions
 *   exclude the caller; 154 above `maxTotal`; 413; 429; 503 when the disk has too little space
 */
export async function beginUpload(
  files: Files,
  body: unknown,
  caller: Caller,
  userAgent: string,
): Promise<BegunUpload> {
  checkPermission(FILE, files.objects.classes.get(FILE)!.permissions, 'create', caller)
  const request = parseUploadRequest(body, caller)
  const { key, name, mimeType, metaData, size, checksum } = request
  const settings = files.settings()
  if (mimeType !== null) checkType(mimeType, settings.types)
  if (size !== null && settings.maxSize > 0 && size > settings.maxSize) throw errors.payloadTooLarge()
  // Reports an invalid ACL now instead of after the bytes have arrived.
  if (request.acl) parseAcl(request.acl)
  await countCaller(files.limits, 'uploads', caller)
  if (size !== null) await countCaller(files.limits, 'uploadMegabytes', caller, megabytesOf(size))
  await checkRoom(files, size ?? 0)
  const provider = chooseProvider(settings, userAgent, size)
  const direct = await directUpload(files, provider, size, mimeType ?? DEFAULT_TYPE)
  if (direct === null) await files.blobs.checkSpace(size ?? 0)
  const token = newSecret()
  const now = Date.now()
  const upload = {
    tokenHash: hashOfToken(token),
    fileId: newObjectId(now),
    key,
    record: { name, provider, bucket: BUCKET, metaData, mimeType, checksum, counted: size !== null || caller.master },
    acl: request.acl,
    owner: caller.userId,
    size,
    blob: direct?.blob ?? null,
    createdAt: new Date(now).toISOString(),
  }
  await insertUpload(files, upload)
  return {
    objectId: upload.fileId,
    createdAt: upload.createdAt,
    token,
    key,
    name,
    mimeType: mimeType ?? DEFAULT_TYPE,
    provider,
    directUrl: direct?.url ?? null,
  }
}

/** Converts bytes to megabytes for the limits. Rounded up, so that an empty upload also counts. */
export function megabytesOf(size: number): number {
  return Math.max(1, Math.ceil(size / (1024 * 1024)))
}

/** Checks that the app accepts a type. @throws ApiError 1 */
export function checkType(mimeType: string, allowed: readonly string[]): void {
  if (!isAllowedType(mimeType, allowed))
    throw errors.badArgument(
      `Files of type '${mimeType.slice(0, 100)}' are not accepted; this app accepts ${allowed.join(', ')}.`,
    )
}

async function directUpload(
  files: Files,
  provider: Provider,
  size: number | null,
  mimeType: string,
): Promise<{ blob: string; url: string } | null> {
  if (!files.settings().directUploads || provider !== 's3' || size === null || !mayPutDirectly(mimeType, size))
    return null
  const blob = await newBlob(files)
  const url = await files.blobs.presignUpload(files.appId, blob, { size, mimeType, seconds: DIRECT_SECONDS })
  return url === null ? null : { blob, url }
}
