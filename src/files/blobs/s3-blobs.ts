import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DiskReserve } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import type { S3Location } from '../../files-url.ts'
import type { Log } from '../../log.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import { isAppId } from '../../values/secrets.ts'
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  checkNames,
  checkRange,
  isBlobName,
  type ListedBlob,
  type PresignOptions,
  type StoredBlob,
  type WriteOptions,
} from './blob-store.ts'
import { measureSource } from './measured-source.ts'
import { clientFor } from './s3-client.ts'
import { reasonOf, StoreFaults } from './store-faults.ts'
import { type Held, UploadBuffer } from './upload-buffer.ts'

/** Bytes of a part. Larger blobs are uploaded in parts of this size, `PARTS_AT_ONCE` at a time. */
const PART = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2
/** Maximum concurrent uploads to the store. Further uploads wait in the upload buffer on disk. */
const UPLOADS_AT_ONCE = 6
const WAITING = { atAddress: 4000, ofApp: 4000, inAll: 8000 }
/** Milliseconds that an upload waits for a slot. */
const TIMEOUT_MS = 120_000
/** Maximum size of a blob in bytes: S3 allows 10,000 parts. */
const LONGEST = 10_000 * PART
/** Maximum concurrent deletions. Stores differ in their support for deleting several objects by one request. */
const DELETIONS_AT_ONCE = 16
/** Maximum passes over the list of an app's objects. Passes are repeated until one finds nothing. */
const PASSES = 4

const CONTENT_TYPE = 'application/octet-stream'

/** Stores blobs in a bucket of Amazon S3 or a compatible store: `<prefix>/<appId>/<blob>`. */
export class S3Blobs implements BlobStore {
  readonly description: string
  readonly #client: S3Client
  readonly #bucket: string
  /** Empty, or ends with a slash. */
  readonly #prefix: string
  readonly #faults: StoreFaults
  readonly #buffer: UploadBuffer
  readonly #queue = new FairSemaphore({ slots: UPLOADS_AT_ONCE, waiting: WAITING, timeoutMs: TIMEOUT_MS })

  private constructor(
    client: S3Client,
    { bucket, prefix, endpoint }: S3Location,
    region: string,
    bufferFolder: UploadBuffer,
    log: Log,
  ) {
    this.#buffer = bufferFolder
    this.#client = client
    this.#bucket = bucket
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    const at = endpoint === null ? '' : `${endpoint}, `
    this.description = `s3 bucket ${bucket}${prefix && `, prefix ${prefix}`} (${at}${region})`
    this.#faults = new StoreFaults(log, this.description)
  }

  /**
   * Opens the store without sending a request, so an unreachable store does not prevent the server from starting.
   * @param bufferFolder local folder for bytes that are waiting to be uploaded
   * @throws Error with one line for the administrator when no region is configured
   */
  static async open(location: S3Location, bufferFolder: string, log: Log, reserve?: DiskReserve): Promise<S3Blobs> {
    const client = clientFor(location)
    try {
      return new S3Blobs(client, location, await client.config.region(), new UploadBuffer(bufferFolder, reserve), log)
    } catch {
      client.destroy()
      throw new Error('--files-url (HOMEPORT_FILES_URL) names no region: add ?region=…, or set AWS_REGION.')
    }
  }

  async write(appId: string, blob: string, source: AsyncIterable<Buffer>, options: WriteOptions): Promise<StoredBlob> {
    const target = this.#target(appId, blob)
    const measured = measureSource(source, { ...options, max: Math.min(options.max, LONGEST) })
    let held: Held | undefined
    try {
      held = await this.#buffer.hold(measured.bytes)
      await this.#upload(appId, target, held)
      return measured.result()
    } catch (error) {
      // The last request may have succeeded although its response was lost or the signal aborted too late.
      if (held) await this.#client.send(new DeleteObjectCommand(target)).catch(() => {})
      if (error instanceof ApiError) throw error
      throw measured.fault ? measured.fault.error : this.#faults.report(error)
    } finally {
      // The sweep removes leftovers.
      await held?.release().catch(() => {})
    }
  }

  /** Uploads the bytes of a blob. Limited to a few at a time, because each upload holds several parts in memory. */
  async #upload(appId: string, target: { Bucket: string; Key: string }, held: Held): Promise<void> {
    const principal = appPrincipal(appId)
    const wait = this.#queue.acquire(principal)
    if (wait) await wait
    const body = held.open()
    try {
      const params = { ...target, Body: body, ContentType: CONTENT_TYPE }
      await new Upload({ client: this.#client, params, partSize: PART, queueSize: PARTS_AT_ONCE }).done()
    } finally {
      if (!Buffer.isBuffer(body)) body.destroy()
      this.#queue.release(principal)
    }
  }

  async read(appId: string, blob: string, range?: ByteRange): Promise<Readable> {
    if (range) checkRange(range)
    const target = this.#target(appId, blob)
    try {
      const wanted = range && { Range: `bytes=${range.start}-${range.end}` }
      const { Body } = await this.#client.send(new GetObjectCommand({ ...target, ...wanted }))
      return Body as Readable
    } catch (error) {
      if (isMissing(error)) throw new BlobMissing(appId, blob)
      // The blob has no bytes in this range.
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 416) return Readable.from([])
      throw this.#faults.report(error)
    }
  }

  async readAll(appId: string, blob: string, range: ByteRange): Promise<Buffer> {
    return buffer(await this.read(appId, blob, range))
  }

  path(appId: string, blob: string): null {
    checkNames(appId, blob)
    return null
  }

  async remove(appId: string, blob: string): Promise<void> {
    await this.#delete(this.#target(appId, blob))
  }

  async *list(appId: string, beginning = ''): AsyncGenerator<ListedBlob, void, undefined> {
    checkNames(appId)
    for await (const page of this.#pages(appId, beginning))
      for (const { key, size, modifiedAt } of page) {
        const blob = key.slice(this.#folderOf(appId).length)
        if (isBlobName(blob)) yield { blob, size, modifiedAt }
      }
  }

  async sweep(age: number, appId?: string): Promise<void> {
    if (appId !== undefined) checkNames(appId)
    await this.#buffer.sweep(age)
    await this.#abortUploads(appId === undefined ? this.#prefix : this.#folderOf(appId), Date.now() - age)
  }

  async removeApp(appId: string): Promise<void> {
    checkNames(appId)
    // Some stores skip entries of a paginated list when the entry at the continuation point is deleted, so the list is read
    // again.
    for (let pass = 0, found = 1; found > 0 && pass < PASSES; pass++) {
      found = 0
      for await (const page of this.#pages(appId)) {
        found += page.length
        for (let first = 0; first < page.length; first += DELETIONS_AT_ONCE)
          await Promise.all(
            page
              .slice(first, first + DELETIONS_AT_ONCE)
              .map(({ key }) => this.#delete({ Bucket: this.#bucket, Key: key })),
          )
      }
    }
    await this.#abortUploads(this.#folderOf(appId), Number.POSITIVE_INFINITY)
  }

  async presignUpload(appId: string, blob: string, { size, mimeType, seconds }: PresignOptions): Promise<string> {
    const length = size !== null && { ContentLength: size }
    const command = new PutObjectCommand({ ...this.#target(appId, blob), ContentType: mimeType, ...length })
    // Without this the content type is not signed, and a client could upload another type.
    const signableHeaders = new Set(['content-type', 'content-length', 'host'])
    return this.#reported(getSignedUrl(this.#client, command, { expiresIn: seconds, signableHeaders }))
  }

  /** Copies up to 5 GB, which is also the maximum of a direct upload. */
  async copy(appId: string, from: string, to: string): Promise<void> {
    const { Bucket, Key } = this.#target(appId, from)
    const CopySource = `${Bucket}/${Key.split('/').map(encodeURIComponent).join('/')}`
    const target = this.#target(appId, to)
    try {
      await this.#client.send(
        new CopyObjectCommand({ ...target, CopySource, ContentType: CONTENT_TYPE, MetadataDirective: 'REPLACE' }),
      )
    } catch (error) {
      if (isMissing(error)) throw new BlobMissing(appId, from)
      throw this.#faults.report(error)
    }
  }

  async stat(appId: string, blob: string): Promise<{ size: number; md5: string | null } | null> {
    const target = this.#target(appId, blob)
    try {
      const found = await this.#client.send(new HeadObjectCommand(target))
      // The ETag is the MD5 only of objects that were uploaded in one piece and not encrypted with a customer key or KMS.
      const encrypted = found.SSECustomerAlgorithm !== undefined || found.ServerSideEncryption?.startsWith('aws:kms')
      const md5 = encrypted ? undefined : /^"?([0-9a-f]{32})"?$/.exec(found.ETag ?? '')?.[1]
      return { size: found.ContentLength ?? 0, md5: md5 ?? null }
    } catch (error) {
      if (isMissing(error)) return null
      throw this.#faults.report(error)
    }
  }

  async checkSpace(size: number): Promise<void> {
    try {
      await this.#buffer.checkSpace(size)
    } catch (error) {
      throw error instanceof ApiError ? error : this.#faults.report(error)
    }
  }

  async check(): Promise<void> {
    const probe = { Bucket: this.#bucket, Key: `${this.#prefix}.check-${randomUUID()}` }
    try {
      await this.#client.send(new PutObjectCommand({ ...probe, Body: probe.Key, ContentType: CONTENT_TYPE }))
      const { Body } = await this.#client.send(new GetObjectCommand(probe))
      if ((await Body?.transformToString()) !== probe.Key)
        throw new Error('the bytes read differ from the bytes written')
      await this.#client.send(new DeleteObjectCommand(probe))
    } catch (error) {
      throw new Error(`Files cannot be stored in the ${this.description}: ${reasonOf(error)}.`)
    }
  }

  #folderOf(appId: string): string {
    return `${this.#prefix}${appId}/`
  }

  #target(appId: string, blob: string): { Bucket: string; Key: string } {
    checkNames(appId, blob)
    return { Bucket: this.#bucket, Key: `${this.#folderOf(appId)}${blob}` }
  }

  async #delete(target: { Bucket: string; Key: string }): Promise<void> {
    // Some stores respond with an error when the object is missing.
    await this.#reported(unlessMissing(this.#client.send(new DeleteObjectCommand(target))))
  }

  /** Lists all objects of an app page by page. Objects may be deleted meanwhile. */
  async *#pages(appId: string, beginning = ''): AsyncGenerator<ListedKey[], void, undefined> {
    let ContinuationToken: string | undefined
    do {
      const query = { Bucket: this.#bucket, Prefix: this.#folderOf(appId) + beginning, ContinuationToken }
      const page = await this.#reported(this.#client.send(new ListObjectsV2Command(query)))
      yield (page.Contents ?? []).flatMap(({ Key, Size, LastModified }) =>
        Key === undefined ? [] : [{ key: Key, size: Size ?? 0, modifiedAt: LastModified ?? new Date(0) }],
      )
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  /** Aborts multipart uploads under a prefix that began before a time in milliseconds, because their processes have exited. */
  async #abortUploads(prefix: string, before: number): Promise<void> {
    let from: UploadPosition | null = {}
    while (from !== null) {
      const page: Partial<ListMultipartUploadsCommandOutput> = await this.#uploadsFrom(prefix, from)
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || !this.#isOurs(Key) || (Initiated?.getTime() ?? 0) >= before) continue
        const abort = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId })
        await this.#reported(unlessMissing(this.#client.send(abort)))
      }
      const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page
      from = IsTruncated && NextKeyMarker ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : null
    }
  }

  async #uploadsFrom(prefix: string, from: UploadPosition): Promise<Partial<ListMultipartUploadsCommandOutput>> {
    try {
      const query = { Bucket: this.#bucket, Prefix: prefix || undefined, ...from }
      return await this.#client.send(new ListMultipartUploadsCommand(query))
    } catch (error) {
      // Stores without this request abort stale uploads themselves, or need a lifecycle rule.
      if (error instanceof S3ServiceException && [405, 501].includes(error.$metadata.httpStatusCode ?? 0)) return {}
      throw this.#faults.report(error)
    }
  }

  /** Returns whether a key can be a blob's. The bucket may contain other objects. */
  #isOurs(key: string): boolean {
    const [appId = '', blob = '', ...rest] = key.slice(this.#prefix.length).split('/')
    return key.startsWith(this.#prefix) && isAppId(appId) && isBlobName(blob) && rest.length === 0
  }

  async #reported<Result>(pending: Promise<Result>): Promise<Result> {
    try {
      return await pending
    } catch (error) {
      throw this.#faults.report(error)
    }
  }
}

interface ListedKey {
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly modifiedAt: Date
}

/** The last upload of the previous page. */
interface UploadPosition {
  readonly KeyMarker?: string
  readonly UploadIdMarker?: string | undefined
}

async function unlessMissing(pending: Promise<unknown>): Promise<void> {
  try {
    await pending
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Returns whether an object or upload is missing. A missing bucket does not count. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(error.name)
}
