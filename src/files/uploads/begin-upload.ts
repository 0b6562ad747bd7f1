import { errors } from '../../errors.ts'
import { parseAcl } from '../../objects/access/acl.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { newObjectId } from '../../values/names.ts'
import { newSecret } from '../../values/secrets.ts'
import { FILE, type Files } from '../files.ts'
import { newBlob } from '../loose-blobs.ts'
import { isAllowedType } from '../mime-type.ts'
import { checkRoom } from '../room.ts'
import { mayPutDirectly } from './direct-upload.ts'
import { chooseProvider, type Provider } from './provider.ts'
import { parseUploadRequest, UNTOLD_TYPE } from './upload-request.ts'
import { hashOfToken, insertUpload } from './upload-table.ts'

/** What a client is told that wants to upload. */
export interface BegunUpload {
  readonly objectId: string
  /** ISO date. */
  readonly createdAt: string
  readonly token: string
  readonly key: string
  readonly name: string
  readonly mimeType: string
  readonly provider: Provider
  /** Where the client puts the bytes itself; null: here. */
  readonly directUrl: string | null
}

/** Seconds for which the store takes bytes from a client itself. */
const DIRECT_SECONDS = 3600

/** One name for all: the place is known by the URL that is told with it. */
export const BUCKET = 'homeport'

/**
 * Gives a token for one file (protocol/files, Upload). The record comes into being with its bytes: a client that never
 * sends them leaves nothing.
 * @param userAgent what the client says of itself
 * @throws ApiError 1 and 123 for a wrong body; 1 for a type or size that the app does not take; 403 when the class is closed to
 *   the caller; 413; 429; 503 when the disk has too little space
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
  // Says what is wrong with it now, not when the bytes are there.
  if (request.acl) parseAcl(request.acl)
  await countCaller(files.limits, 'uploads', caller)
  if (size !== null) await countCaller(files.limits, 'uploadMegabytes', caller, megabytesOf(size))
  await checkRoom(files, size ?? 0)
  const provider = chooseProvider(settings, userAgent, size)
  const direct = await directUpload(files, provider, size, mimeType ?? UNTOLD_TYPE)
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
    mimeType: mimeType ?? UNTOLD_TYPE,
    provider,
    directUrl: direct?.url ?? null,
  }
}

/** Rounded up: an upload of nothing costs something too. */
export function megabytesOf(size: number): number {
  return Math.max(1, Math.ceil(size / (1024 * 1024)))
}

/** @throws ApiError 1 */
export function checkType(mimeType: string, allowed: readonly string[]): void {
  if (!isAllowedType(mimeType, allowed))
    throw errors.badArgument(
      `Files of type '${mimeType.slice(0, 100)}' are not taken; this app takes ${allowed.join(', ')}.`,
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
