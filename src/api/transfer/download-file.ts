import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fresh from 'fresh'
import parseRange from 'range-parser'
import { errors } from '../../errors.ts'
import { BlobMissing, type ByteRange } from '../../files/blobs/blob-store.ts'
import type { Files } from '../../files/files.ts'
import { PICTURE_LIMITS } from '../../files/pictures/picture-limits.ts'
import { parsePictureRequest } from '../../files/pictures/picture-request.ts'
import type { PictureRequest } from '../../files/pictures/picture-steps.ts'
import { findStored, type StoredFile } from '../../files/stored-files.ts'
import { type Answer, ByteBody } from '../call.ts'
import { isFileHost } from '../file-host-paths.ts'
import type { ByteCall } from './byte-route.ts'
import { contentHeaders, wishesOf } from './content-headers.ts'

/** Last byte that is read of an image: one byte more than the maximum is enough to reject it. */
const MAX_SOURCE = PICTURE_LIMITS.sourceBytes

/** Maximum size in bytes that is read at once: the part that a client does not receive stays in memory. */
const SMALL = 128 * 1024

type DownloadCall = Pick<ByteCall, 'server' | 'method' | 'headers' | 'search' | 'sent' | 'principalIn'>

/**
 * Returns the bytes of a key: all of them, a range, or 304 if the client has them (RFC 9110).
 * @throws ApiError 403, 404, 503
 */
export async function downloadFile(files: Files, key: string, call: DownloadCall): Promise<Answer> {
  if (isToBeRun(call.headers)) throw errors.forbidden('User files are not served to pages that would execute them.')
  const file = await findStored(files, key)
  if (!file) throw fileMissing()
  const wanted = call.search === '' ? null : parsePictureRequest(call.search)
  const picture = wanted && (await pictureOf(files, file, wanted, call))
  if (picture) return picture
  const headers = contentHeaders(file, wishesOf(call.search), isFileHost(call.server, files.appId, call.sent.host))
  return sendBytes(call, headers, file.size, (range) => bytesOf(files, file, range ?? { start: 0, end: file.size - 1 }))
}

/** Destinations that browsers announce when a page or a worker would run the response (Fetch Metadata; Service Workers). */
const RUNNING_DESTINATIONS = /^(script|worker|sharedworker|serviceworker|audioworklet|paintworklet|xslt)$/

/** Returns whether the response would be run as code, by headers of browsers that pages cannot set. */
function isToBeRun({ 'sec-fetch-dest': destination, 'service-worker': worker }: ByteCall['headers']): boolean {
  return worker !== undefined || RUNNING_DESTINATIONS.test(String(destination))
}

/**
 * Returns the image that a URL requests to be derived from a file (protocol/files, Pictures); null when the response is
 * the file itself.
 */
async function pictureOf(
  files: Files,
  file: StoredFile,
  request: PictureRequest,
  call: DownloadCall,
): Promise<Answer | null> {
  const { appId, blobs, pictures } = files
  const { blob } = file
  const source = async () => {
    const path = blobs.path(appId, blob)
    return path === null
      ? { bytes: await buffer(await streamOf(files, file, { start: 0, end: MAX_SOURCE })) }
      : { path }
  }
  const limits = {
    takeOfFile: (blob: string) => files.limits.takePictureOfFile(blob),
    takeMegapixels: (megapixels: number) =>
      files.limits.take('pictureMegapixels', { address: call.sent.address, userId: null }, megapixels),
  }
  const picture = await pictures.get({ appId, blob, source, request, principal: call.principalIn(appId), limits })
  if (!picture) return null
  const { contentType: mimeType, etag, size } = picture
  const headers = {
    ...contentHeaders(
      { ...file, mimeType },
      wishesOf(call.search),
      isFileHost(call.server, files.appId, call.sent.host),
    ),
    etag,
  }
  return sendBytes(call, headers, size, async (range) => {
    if ('path' in picture) return createReadStream(picture.path, range)
    return range ? picture.bytes.subarray(range.start, range.end + 1) : picture.bytes
  })
}

/**
 * Sends the bytes that a client requests.
 * @param headers of the complete file, with an `etag`
 * @param size of the complete file in bytes
 */
async function sendBytes(
  { method, headers: requestHeaders }: Pick<DownloadCall, 'method' | 'headers'>,
  headers: Record<string, string>,
  size: number,
  read: (range: ByteRange | undefined) => Promise<ByteBody['bytes']>,
): Promise<Answer> {
  if (fresh(requestHeaders, headers)) return { status: 304, headers, body: new ByteBody(null) }
  const range = rangeOf(requestHeaders, headers, size)
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: new ByteBody(null) }
  }
  const length = range ? range.end - range.start + 1 : size
  const fullHeaders = { ...headers, 'content-length': String(length) }
  const isEmpty = method === 'HEAD' || size === 0
  const bytes = isEmpty ? null : await read(range)
  if (!range) return { status: 200, headers: fullHeaders, body: new ByteBody(bytes) }
  const contentRange = `bytes ${range.start}-${range.end}/${size}`
  return { status: 206, headers: { ...fullHeaders, 'content-range': contentRange }, body: new ByteBody(bytes) }
}

/** Returns the requested range. For several ranges, the complete file is sent, which is a valid response and as cheap. */
function rangeOf(
  { range, 'if-range': ifRange }: ByteCall['headers'],
  { etag, 'last-modified': modified }: Record<string, string>,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || size === 0) return undefined
  if (ifRange !== undefined && ifRange !== etag && ifRange !== modified) return undefined
  const parsed = parseRange(size, range)
  if (parsed === -1) return 'unsatisfiable'
  if (parsed === -2 || parsed.type !== 'bytes' || parsed.length !== 1) return undefined
  return parsed[0]
}

async function bytesOf(files: Files, file: StoredFile, range: ByteRange): Promise<Buffer | Readable> {
  const length = range.end - range.start + 1
  if (length > SMALL) return streamOf(files, file, range)
  const { appId, blobs } = files
  const bytes = await orMissing(blobs.readAll(appId, file.blob, range))
  // Caches would keep a truncated response for a year.
  if (bytes.length !== length) throw new Error(`The blob ${file.blob} of the app ${appId} is shorter than it was.`)
  return bytes
}

function streamOf({ blobs, appId }: Files, { blob }: StoredFile, range: ByteRange): Promise<Readable> {
  return orMissing(blobs.read(appId, blob, range))
}

async function orMissing<Bytes>(reading: Promise<Bytes>): Promise<Bytes> {
  try {
    return await reading
  } catch (error) {
    // A concurrent request has deleted it.
    if (error instanceof BlobMissing) throw fileMissing()
    throw error
  }
}

function fileMissing() {
  return errors.notFound('File not found.')
}
