import type { Readable } from 'node:stream'
import { isAppId } from '../../values/secrets.ts'

/** Where the bytes of files lie. A blob is written once: it is wholly and durably there, or not at all. */
export interface BlobStore {
  /** `folder` or `s3`, and where, for logs and doctor; no secrets. */
  readonly description: string
  /**
   * Stores what the source gives, in constant memory, and resolves when the bytes are durable. When the source fails,
   * gives more than `most` bytes, or the signal aborts, nothing is left.
   * @param blob a name of our making: 1 to 64 letters, digits and hyphens
   * @throws what the source has thrown; the reason of the signal; ApiError 413 for more than `most` bytes; ApiError 503 when
   *   the store is away, full, or refuses us; Error for names of another form
   */
  write(appId: string, blob: string, source: AsyncIterable<Buffer>, options: WriteOptions): Promise<StoredBlob>
  /**
   * The bytes from `start` up to and including `end`, as far as the blob has them; all of them without a range. Whoever
   * asks for the stream reads it to its end or destroys it.
   * @throws BlobMissing; ApiError 503
   */
  read(appId: string, blob: string, range?: ByteRange): Promise<Readable>
  /**
   * The same in memory, where they are few: they cost less so than as a stream.
   * @throws BlobMissing; ApiError 503
   */
  readWhole(appId: string, blob: string, range: ByteRange): Promise<Buffer>
  /** Path of the file that holds the blob, where it lies on this machine, whether it is there or not; null elsewhere. */
  path(appId: string, blob: string): string | null
  /** Deleting what is not there succeeds. @throws ApiError 503 */
  remove(appId: string, blob: string): Promise<void>
  /**
   * The blobs of an app, in no order.
   * @param beginning of their names, two characters; all without it
   * @throws ApiError 503
   */
  list(appId: string, beginning?: string): AsyncIterable<ListedBlob>
  /**
   * Removes what writes that ended with the process have left behind for longer than `age` milliseconds.
   * @param appId only of this app
   */
  sweep(age: number, appId?: string): Promise<void>
  /** Removes everything of an app that is deleted. */
  removeApp(appId: string): Promise<void>
  /** A URL to which a client may PUT the blob itself, where the store can do so; null elsewhere. */
  presignUpload(appId: string, blob: string, options: PresignOptions): Promise<string | null>
  /**
   * Makes a blob of the bytes of another one, within the store, as durably as `write`.
   * @throws BlobMissing; ApiError 503
   */
  copy(appId: string, from: string, to: string): Promise<void>
  /** Size and md5 (null where the store does not know it) of a blob that is there, whoever has put it; null when none is. */
  stat(appId: string, blob: string): Promise<{ readonly size: number; readonly md5: string | null } | null>
  /**
   * Checks that there is space for so many bytes more, where it lies on a disk of this machine.
   * @throws ApiError 503
   */
  checkSpace(size: number): Promise<void>
  /** @throws Error with one line for the administrator when the store cannot be written and read */
  check(): Promise<void>
}

export interface WriteOptions {
  /** Bytes that the blob may have. */
  readonly most: number
  readonly signal?: AbortSignal
}

export interface StoredBlob {
  /** Bytes. */
  readonly size: number
  /** Hexadecimal, computed while it was written. */
  readonly md5: string
}

/** Both counted from 0, both included. */
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
  /** Bytes, which are the only number that the store takes then; null: not known. */
  readonly size: number | null
  /** What the client must send as Content-Type. */
  readonly mimeType: string
  /** For how long the URL is good. */
  readonly seconds: number
}

/** There is no such blob. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'

  constructor(appId: string, blob: string) {
    super(`There is no blob ${blob} of the app ${appId}.`)
  }
}

const BLOB = /^[A-Za-z0-9-]{1,64}$/

/** Whether a text may be the name of a blob: no path can be made of it. */
export function isBlobName(text: string): boolean {
  return BLOB.test(text)
}

/** @throws Error for what is no id of an app or no name of a blob: both were checked, or made by us, before */
export function checkNames(appId: string, blob?: string): void {
  if (!isAppId(appId) || (blob !== undefined && !isBlobName(blob)))
    throw new Error('The name of a blob, or the id of its app, has another form than it should.')
}

/** @throws RangeError for a range that no blob could have */
export function checkRange({ start, end }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError('A range of bytes begins at 0 or later and ends where it begins or later.')
}
