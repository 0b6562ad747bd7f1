import { randomUUID } from 'node:crypto'
import { mkdir, open, opendir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type DiskReserve, NO_RESERVE } from '../../disk-reserve.ts'
import type { Log } from '../../log.ts'
import { isAppId } from '../../values/secrets.ts'
import {
  BlobMissing,
  type BlobStore,
  type ByteRange,
  checkNames,
  checkRange,
  isBlobName,
  type ListedBlob,
  type StoredBlob,
  type WriteOptions,
} from './blob-store.ts'
import { type MeasuredSource, measureSource } from './measured-source.ts'
import { readPart } from './read-part.ts'
import { reasonOf, StoreFaults } from './store-faults.ts'

/** Prefix of files that are being written. No blob name starts with it. */
const TEMPORARY = '.tmp-'
/**
 * Bytes that a stream reads at a time. Large chunks are faster, but each client that stops reading keeps two of them in memory.
 * So only the first `FAST_STREAMS` concurrent streams use `FAST_CHUNK`.
 */
const CHUNK = 64 * 1024
const FAST_CHUNK = 256 * 1024
const FAST_STREAMS = 64
/** Maximum number of folders remembered as durable. The set is cleared when it is full. */
const REMEMBERED_FOLDERS = 10_000

/**
 * Stores blobs in a local folder or a network mount: `<folder>/<appId>/<ab>/<abcdef…>`. The folder itself is never created here:
 * when its volume is not mounted, files must not be written to the disk below the mount point.
 */
export class LocalBlobs implements BlobStore {
  readonly description: string
  readonly #folder: string
  readonly #faults: StoreFaults
  readonly #reserve: DiskReserve
  readonly #durable = new Set<string>()
  /** Open read streams. */
  #streams = 0

  /** @param folder absolute path */
  constructor(folder: string, log: Log, reserve: DiskReserve = NO_RESERVE) {
    this.#reserve = reserve
    this.#folder = folder
    this.description = `folder ${folder}`
    this.#faults = new StoreFaults(log, this.description)
  }

  async write(appId: string, blob: string, source: AsyncIterable<Buffer>, options: WriteOptions): Promise<StoredBlob> {
    const path = this.path(appId, blob)
    const measured = measureSource(source, options)
    try {
      await this.#makeFolder(appId, dirname(path))
      return await moveFile(measured, path, (bytes) => this.#reserve.take(this.#folder, bytes))
    } catch (error) {
      throw measured.fault ? measured.fault.error : this.#fault(error)
    }
  }

  async read(appId: string, blob: string, range?: ByteRange): Promise<Readable> {
    if (range) checkRange(range)
    try {
      const file = await open(this.path(appId, blob))
      const highWaterMark = this.#streams < FAST_STREAMS ? FAST_CHUNK : CHUNK
      this.#streams++
      return file.createReadStream({ ...range, highWaterMark }).once('close', () => this.#streams--)
    } catch (error) {
      throw await this.#faultOfRead(error, appId, blob)
    }
  }

  async readAll(appId: string, blob: string, range: ByteRange): Promise<Buffer> {
    checkRange(range)
    try {
      return await readPart(this.path(appId, blob), range)
    } catch (error) {
      throw await this.#faultOfRead(error, appId, blob)
    }
  }

  path(appId: string, blob: string): string {
    checkNames(appId, blob)
    return join(this.#folder, appId, blob.slice(0, 2), blob)
  }

  async remove(appId: string, blob: string): Promise<void> {
    const path = this.path(appId, blob)
    try {
      await unlink(path)
    } catch (error) {
      if (!isMissing(error) || !(await this.#isThere())) throw this.#fault(error)
    }
  }

  async *list(appId: string, beginning?: string): AsyncGenerator<ListedBlob, void, undefined> {
    checkNames(appId, beginning)
    const entries = beginning ? this.#entriesOf(join(this.#folder, appId, beginning)) : this.#filesOf(appId)
    for await (const { name, path } of entries) {
      if (!isBlobName(name)) continue
      const found = await this.#unlessMissing(stat(path))
      if (found) yield { blob: name, size: found.size, modifiedAt: found.mtime }
    }
  }

  async sweep(age: number, appId?: string): Promise<void> {
    if (appId !== undefined) checkNames(appId)
    const latest = Date.now() - age
    const removeOld = async (name: string, path: string) => {
      if (!name.startsWith(TEMPORARY)) return
      const found = await this.#unlessMissing(stat(path))
      if (found && found.mtimeMs < latest) await this.#unlessMissing(unlink(path))
    }
    const sweepApp = async (id: string) => {
      for await (const { name, path } of this.#filesOf(id)) await removeOld(name, path)
    }
    if (appId !== undefined) return sweepApp(appId)
    for await (const entry of this.#entriesOf(this.#folder)) {
      if (!entry.isFolder) await removeOld(entry.name, entry.path)
      else if (isAppId(entry.name)) await sweepApp(entry.name)
    }
  }

  async removeApp(appId: string): Promise<void> {
    checkNames(appId)
    const folder = join(this.#folder, appId)
    for (const known of this.#durable) if (dirname(known) === folder) this.#durable.delete(known)
    try {
      await rm(folder, { recursive: true, force: true })
      await syncFolder(this.#folder)
    } catch (error) {
      throw this.#fault(error)
    }
  }

  async copy(appId: string, from: string, to: string): Promise<void> {
    await this.write(appId, to, await this.read(appId, from), { max: Number.POSITIVE_INFINITY })
  }

  async presignUpload(): Promise<null> {
    return null
  }

  async stat(appId: string, blob: string): Promise<{ size: number; md5: null } | null> {
    const found = await this.#unlessMissing(stat(this.path(appId, blob)))
    return found && { size: found.size, md5: null }
  }

  async checkSpace(size: number): Promise<void> {
    try {
      await this.#reserve.check(this.#folder, size)
    } catch (error) {
      throw this.#fault(error)
    }
  }

  async check(): Promise<void> {
    const probe = join(this.#folder, `${TEMPORARY}check-${randomUUID()}`)
    try {
      await writeFile(probe, probe, { flag: 'wx', mode: 0o600 })
      if ((await readFile(probe, 'utf8')) !== probe) throw new Error('the bytes read differ from the bytes written')
    } catch (error) {
      throw new Error(`Files cannot be stored in the ${this.description}: ${reasonOf(error)}.`)
    } finally {
      await rm(probe, { force: true }).catch(() => {})
    }
  }

  /**
   * Creates the folders of an app if they are missing, durably. Another process may have created an existing folder without
   * syncing it yet, so this process syncs each folder once.
   */
  async #makeFolder(appId: string, folder: string): Promise<void> {
    const ofApp = join(this.#folder, appId)
    const made = [await makeFolder(ofApp), await makeFolder(folder)]
    if (this.#durable.has(folder) && !made.includes(true)) return
    await syncFolder(this.#folder)
    await syncFolder(ofApp)
    if (this.#durable.size >= REMEMBERED_FOLDERS) this.#durable.clear()
    this.#durable.add(folder)
  }

  async *#filesOf(appId: string): AsyncGenerator<Entry, void, undefined> {
    for await (const { path, isFolder } of this.#entriesOf(join(this.#folder, appId)))
      if (isFolder) for await (const entry of this.#entriesOf(path)) if (!entry.isFolder) yield entry
  }

  async *#entriesOf(folder: string): AsyncGenerator<Entry, void, undefined> {
    try {
      for await (const entry of await opendir(folder))
        yield { name: entry.name, path: join(folder, entry.name), isFolder: entry.isDirectory() }
    } catch (error) {
      if (!isMissing(error) || !(await this.#isThere())) throw this.#fault(error)
    }
  }

  async #unlessMissing<Result>(pending: Promise<Result>): Promise<Result | null> {
    try {
      return await pending
    } catch (error) {
      if (isMissing(error) && (await this.#isThere())) return null
      throw this.#fault(error)
    }
  }

  /** Returns whether the root folder exists. Without it (volume not mounted) a missing file does not mean a missing blob. */
  #isThere(): Promise<boolean> {
    return stat(this.#folder).then(
      () => true,
      () => false,
    )
  }

  async #faultOfRead(error: unknown, appId: string, blob: string): Promise<unknown> {
    return isMissing(error) && (await this.#isThere()) ? new BlobMissing(appId, blob) : this.#fault(error)
  }

  /** Reports system errors as store faults and returns all other errors unchanged. */
  #fault(error: unknown): unknown {
    return error instanceof Error && 'syscall' in error ? this.#faults.report(error) : error
  }
}

interface Entry {
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Writes to a temporary name and renames the file to the blob's name once it is complete. */
async function moveFile(
  measured: MeasuredSource,
  path: string,
  takeSpace: (bytes: number) => Promise<void>,
): Promise<StoredBlob> {
  const temporary = join(dirname(path), `${TEMPORARY}${randomUUID()}`)
  let left = temporary
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      for await (const chunk of measured.bytes) {
        await takeSpace(chunk.length)
        await file.writeFile(chunk)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    const stored = measured.result()
    await rename(temporary, path)
    left = path
    await syncFolder(dirname(path))
    return stored
  } catch (error) {
    await rm(left, { force: true }).catch(() => {})
    throw error
  }
}

/** Creates a folder. @returns false when it already existed */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Syncs the entries of a folder to disk. Windows has no such call; its file systems do this automatically. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
