import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskReserve } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import { LeastRecentlyUsed } from './least-recently-used.ts'
import type { RenderedPicture } from './rendered-picture.ts'

/** A result ready to be sent: its bytes, or a file that remains readable for at least `readableFor` milliseconds. */
export type Picture = ({ readonly bytes: Buffer } | { readonly path: string }) & {
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Strong ETag, with its quotes. */
  readonly etag: string
}

export interface PictureCacheOptions {
  /** Directory of the cache; created if missing. Must contain nothing else. */
  readonly directory: string
  /** Maximum bytes on disk, counted in whole blocks. Evicted files that may still be read remain a little longer. */
  readonly diskBytes: number
  readonly memoryBytes: number
  readonly reserve: DiskReserve
  /** Milliseconds for which the file of a returned path remains readable. */
  readonly readableFor: number
  /** Called with errors that do not affect the response. */
  readonly onFault: (error: unknown) => void
}

/** Identifies a result by its source file and the operations applied to it. */
export interface PictureName {
  readonly file: string
  readonly result: string
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'application/json': 'json',
}
const CONTENT_TYPES = new Map(Object.entries(EXTENSIONS).map(([type, extension]) => [extension, type]))

const ENTRY = /^([0-9a-f]{32})-[0-9a-f]{32}\.(?:jpg|png|webp|gif|avif|json)$/
const BLOCK = 4096
/** Maximum number of files. Each takes some hundred bytes of memory. */
const MAX_FILES = 100_000
/** Maximum bytes of a result that is served from memory. */
const SMALL = 256 * 1024
/** Milliseconds after which the use of a file is recorded again by touching it. */
const TOUCHED_AFTER = 3_600_000

interface Entry {
  readonly size: number
  /** Time of the last use recorded on disk, in milliseconds since 1970. */
  touched: number
  /** Time in milliseconds until which a client may be reading the file by its path. */
  readUntil: number
}

/**
 * Caches results on disk with least-recently-used eviction, and small ones also in memory. After a restart the files are found
 * again, ordered by their modification time.
 *
 * `<directory>/<2 digits>/<hash of the file>-<hash of the result>.<extension>`; files being written are in `unfinished-…`.
 */
export class PictureCache {
  readonly #options: PictureCacheOptions
  readonly #unfinished: string
  readonly #entries: LeastRecentlyUsed<Entry>
  readonly #memory: LeastRecentlyUsed<Buffer>
  /** Entry names of each source file, by the file's hash. */
  readonly #ofFile = new Map<string, Set<string>>()
  /** Timers of evicted files that are deleted later. */
  readonly #leaving = new Map<string, NodeJS.Timeout>()
  readonly #removals = new Set<Promise<void>>()
  #isScanned = false
  #isClosed = false
  /** Resolves when all files on disk are indexed. Until then each request looks on the disk itself. */
  readonly scanned: Promise<void>

  constructor(options: PictureCacheOptions) {
    this.#options = options
    this.#unfinished = join(options.directory, `unfinished-${randomBytes(8).toString('hex')}`)
    this.#entries = new LeastRecentlyUsed(options.diskBytes, MAX_FILES, (name, entry) => this.#leave(name, entry))
    this.#memory = new LeastRecentlyUsed(options.memoryBytes, MAX_FILES)
    this.scanned = this.#scan().catch(options.onFault)
  }

  /** Bytes on the disk, in whole blocks. */
  get diskBytes(): number {
    return this.#entries.weight
  }

  async read(name: PictureName): Promise<Picture | null> {
    const found = await this.#find(stemOf(name))
    if (!found) return null
    const entry = this.#entries.get(found)
    if (!entry) return null
    const inMemory = this.#memory.get(found)
    if (inMemory) return { bytes: inMemory, ...described(found, inMemory.length) }
    try {
      this.#touch(found, entry)
      return entry.size > SMALL ? await this.#byPath(found, entry) : await this.#inBytes(found, entry)
    } catch {
      // The entry was evicted at this moment, or the directory was emptied: the result is computed again.
      if (this.#entries.delete(found)) this.#leave(found, entry)
      return null
    }
  }

  /**
   * Stores a result. When storing fails, the result is still returned.
   * @returns the picture to send
   */
  async write(name: PictureName, { bytes, contentType }: RenderedPicture): Promise<Picture> {
    const entry = `${stemOf(name)}.${EXTENSIONS[contentType]!}`
    if (blocks(bytes.length) <= this.#options.diskBytes && !this.#isClosed) {
      try {
        await this.#store(entry, bytes)
      } catch (error) {
        // The disk reserve logs this itself.
        if (!(error instanceof ApiError)) this.#options.onFault(error)
      }
    }
    return { bytes, ...described(entry, bytes.length) }
  }

  /** Deletes all results of a file. */
  async forget(file: string): Promise<void> {
    const hash = hashOf(file)
    const found = this.#isScanned ? [] : await this.#onDisk(hash)
    for (const name of new Set([...found, ...(this.#ofFile.get(hash) ?? [])])) {
      this.#leave(name, this.#entries.delete(name))
    }
    await Promise.all(this.#removals)
  }

  /** Deletes evicted files immediately. Cached files remain for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.scanned
    for (const name of [...this.#leaving.keys()]) this.#remove(name)
    await Promise.all(this.#removals)
    await rm(this.#unfinished, { recursive: true, force: true }).catch(this.#options.onFault)
  }

  /** Finds an entry. @returns its name with the extension */
  async #find(stem: string): Promise<string | null> {
    for (const extension of CONTENT_TYPES.keys()) {
      if (this.#entries.has(`${stem}.${extension}`)) return `${stem}.${extension}`
    }
    if (this.#isScanned) return null
    for (const name of await this.#onDisk(`${stem}.`)) {
      const file = await stat(this.#path(name)).catch(() => null)
      if (!file?.size) continue
      if (!this.#entries.has(name)) this.#remember(name, file.size, file.mtimeMs)
      return name
    }
    return null
  }

  async #byPath(name: string, entry: Entry): Promise<Picture> {
    entry.readUntil = Date.now() + this.#options.readableFor
    await stat(this.#path(name))
    return { path: this.#path(name), ...described(name, entry.size) }
  }

  async #inBytes(name: string, entry: Entry): Promise<Picture> {
    const bytes = await readFile(this.#path(name))
    if (bytes.length !== entry.size) throw new Error('the file has changed')
    if (this.#entries.has(name)) this.#memory.set(name, bytes, bytes.length)
    return { bytes, ...described(name, bytes.length) }
  }

  /** Writes a file atomically. */
  async #store(name: string, bytes: Buffer): Promise<void> {
    const unfinished = join(this.#unfinished, `${name}.${randomBytes(4).toString('hex')}`)
    await mkdir(this.#unfinished, { recursive: true })
    await mkdir(join(this.#path(name), '..'), { recursive: true })
    try {
      await this.#options.reserve.take(this.#unfinished, bytes.length)
      await writeFile(unfinished, bytes, { flush: true })
      await rename(unfinished, this.#path(name))
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    this.#remember(name, bytes.length, Date.now())
    if (bytes.length <= SMALL && this.#entries.has(name)) this.#memory.set(name, bytes, bytes.length)
  }

  #remember(name: string, size: number, touched: number): void {
    clearTimeout(this.#leaving.get(name))
    this.#leaving.delete(name)
    this.#belongs(name)
    this.#entries.set(name, { size, touched, readUntil: 0 }, blocks(size))
  }

  #belongs(name: string): void {
    const hash = hashIn(name)
    const others = this.#ofFile.get(hash)
    if (others) others.add(name)
    else this.#ofFile.set(hash, new Set([name]))
  }

  /** Removes an entry from the index immediately, and its file as soon as no client can be reading it. */
  #leave(name: string, entry: Entry | undefined): void {
    const others = this.#ofFile.get(hashIn(name))
    others?.delete(name)
    if (others?.size === 0) this.#ofFile.delete(hashIn(name))
    this.#memory.delete(name)
    const wait = (entry?.readUntil ?? 0) - Date.now()
    if (wait <= 0 || this.#isClosed) {
      this.#remove(name)
      return
    }
    clearTimeout(this.#leaving.get(name))
    this.#leaving.set(name, setTimeout(() => this.#remove(name), wait).unref())
  }

  #remove(name: string): void {
    clearTimeout(this.#leaving.get(name))
    this.#leaving.delete(name)
    const removal = rm(this.#path(name), { force: true })
      .catch(this.#options.onFault)
      .finally(() => this.#removals.delete(removal))
    this.#removals.add(removal)
  }

  /** Records the use at most once per hour, so that the order survives a restart. */
  #touch(name: string, entry: Entry): void {
    const now = Date.now()
    if (now - entry.touched < TOUCHED_AFTER) return
    entry.touched = now
    const seconds = now / 1000
    utimes(this.#path(name), seconds, seconds).catch(() => undefined)
  }

  /** Indexes the files on disk and deletes unfinished files of a crashed process. */
  async #scan(): Promise<void> {
    const { directory } = this.#options
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const found: [name: string, entry: Entry, weight: number][] = []
    for (const folder of await readdir(directory)) {
      if (this.#isClosed) return
      if (/^unfinished-[0-9a-f]{16}$/.test(folder) && join(directory, folder) !== this.#unfinished) {
        await rm(join(directory, folder), { recursive: true, force: true })
      }
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const name of await this.#onDisk(folder)) {
        const file = await stat(join(directory, folder, name)).catch(() => null)
        if (!file || this.#leaving.has(name)) continue
        // A power failure can leave an empty file.
        if (file.size === 0) this.#remove(name)
        else found.push([name, { size: file.size, touched: file.mtimeMs, readUntil: 0 }, blocks(file.size)])
      }
    }
    found.sort(([, one], [, other]) => one.touched - other.touched)
    for (const [name] of found) this.#belongs(name)
    this.#entries.addBefore(found)
    this.#isScanned = true
  }

  /** Lists the entries whose names start with `beginning`, which needs at least the two digits of the folder. */
  async #onDisk(beginning: string): Promise<string[]> {
    const folder = join(this.#options.directory, beginning.slice(0, 2))
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => ENTRY.test(name) && name.startsWith(beginning))
  }

  #path(name: string): string {
    return join(this.#options.directory, name.slice(0, 2), name)
  }
}

function described(name: string, size: number): Pick<Picture, 'contentType' | 'size' | 'etag'> {
  const [stem, extension] = name.split('.') as [string, string]
  return { contentType: CONTENT_TYPES.get(extension)!, size, etag: `"${stem}"` }
}

function stemOf({ file, result }: PictureName): string {
  return `${hashOf(file)}-${hashOf(result)}`
}

function hashIn(name: string): string {
  return name.slice(0, 32)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function blocks(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}
