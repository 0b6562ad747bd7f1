import type { Readable } from 'node:stream'
import { isAppId } from '../../values/secrets.ts'

/** Stores the bytes of files. A blob is written once: it is either stored completely and durably, or absent. */
export interface BlobStore {
  /** Kind (`folder` or `s3`) and location of the store, for logs and doctor. Contains no secrets. */
  readonly description: string
  /**
   * Stores the bytes of the source in constant memory and resolves once they are durable. Nothing is left in the store when the
   * source fails, yields more than `max` bytes, or the signal aborts.
   * @param blob a name that Homeport generated: 1 to 64 letters, digits and hyphens
   * @throws the error of the source; the reason of the signal; ApiError 413 for more than `max` bytes; ApiError 503 when the
   *   store is unreachable, full, or rejects the request; Error for a malformed name
   */
  write(appId: string, blob: string, source: AsyncIterable<Buffer>, options: WriteOptions): Promise<StoredBlob>
  /**
   * Returns a stream of the bytes from `start` up to and including `end`, as far as the blob has them; of all bytes without a
   * range. The caller must read the stream to its end or destroy it.
   * @throws BlobMissing; ApiError 503
   */
  read(appId: string, blob: string, range?: ByteRange): Promise<Readable>
  /**
   * Reads a range into memory. Cheaper than a stream for small ranges.
   * @throws BlobMissing; ApiError 503
   */
  readAll(appId: string, blob: string, range: ByteRange): Promise<Buffer>
  /** Returns the path of the file that holds the blob, whether or not it exists; null when the store is not a local folder. */
  path(appId: string, blob: string): string | null
  /** Deletes a blob. Deleting a missing blob succeeds. @throws ApiError 503 */
  remove(appId: string, blob: string): Promise<void>
  /**
   * Lists the blobs of an app in no particular order.
   * @param beginning the first two characters of the names; omitted: all blobs
   * @throws ApiError 503
   */
  list(appId: string, beginning?: string): AsyncIterable<ListedBlob>
  /**
   * Deletes the leftovers of writes that were interrupted by a process exit more than `age` milliseconds ago.
   * @param appId omitted: all apps
   */
  sweep(age: number, appId?: string): Promise<void>
  /** Deletes all blobs of an app that is being deleted. */
  removeApp(appId: string): Promise<void>
  /** Returns a URL to which a client can PUT the blob directly; null when the store does not support it. */
  presignUpload(appId: string, blob: string, options: PresignOptions): Promise<string | null>
  /**
   * Copies a blob within the store, as durably as `write`.
   * @throws BlobMissing; ApiError 503
   */
  copy(appId: string, from: string, to: string): Promise<void>
  /**
   * Returns the size and MD5 of a blob, including one that a client uploaded directly; null when it is missing. `md5` is null
   * when the store does not know it.
   */
  stat(appId: string, blob: string): Promise<{ readonly size: number; readonly md5: string | null } | null>
  /**
   * Checks that the local disk of the store has space for `size` more bytes.
   * @throws ApiError 503
   */
  checkSpace(size: number): Promise<void>
  /** Writes and reads a test blob. @throws Error with one line for the administrator when that fails */
  check(): Promise<void>
}

export interface WriteOptions {
  /** Maximum size of the blob in bytes. */
  readonly max: number
  readonly signal?: AbortSignal
}

export interface StoredBlob {
  /** Bytes. */
  readonly size: number
  /** MD5 in hexadecimal, computed while the blob was written. */
  readonly md5: string
}

/** A range of bytes. Both ends are counted from 0 and included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface ListedBlob {
  readonly blob: string
  /** Bytes. */
  readonly size: number
  readonly modifiedAt: Date
}

export interface PresignOptions {
  /** Exact size in bytes that the store accepts; null: unknown. */
  readonly size: number | null
  /** The `Content-Type` that the client must send. */
  readonly mimeType: string
  /** Lifetime of the URL in seconds. */
  readonly seconds: number
}

/** Thrown when a blob does not exist. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'

  constructor(appId: string, blob: string) {
    super(`There is no blob ${blob} of the app ${appId}.`)
  }
}

const BLOB = /^[A-Za-z0-9-]{1,64}$/

/** Returns whether a text is a valid blob name. A valid name cannot form a path. */
export function isBlobName(text: string): boolean {
  return BLOB.test(text)
}

/** Checks the names of an app and a blob. @throws Error for a malformed name; callers pass only checked or generated names */
export function checkNames(appId: string, blob?: string): void {
  if (!isAppId(appId) || (blob !== undefined && !isBlobName(blob)))
    throw new Error('The name of a blob, or the id of its app, has another form than it should.')
}

/** Checks that a range is well-formed. @throws RangeError */
export function checkRange({ start, end }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError('A range of bytes begins at 0 or later and ends where it begins or later.')
}
