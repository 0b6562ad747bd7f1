import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskReserve } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import { LeastRecentlyUsed } from './least-recently-used.ts'
import type { RenderedPicture } from './rendered-picture.ts'

/** A result as it is answered: its bytes, or a file that stays for `readableFor` milliseconds at least. */
export type Picture = ({ readonly bytes: Buffer } | { readonly path: string }) & {
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** Strong, with its quotes. */
  readonly etag: string
}

export interface PictureCacheOptions {
  /** Where results are kept; it is made where it is missing. Nothing else may be in it. */
  readonly directory: string
  /** Bytes of the disk, counted in whole blocks. What is given up while it may be read is there for a moment longer. */
  readonly diskBytes: number
  readonly memoryBytes: number
  readonly reserve: DiskReserve
  /** Milliseconds. */
  readonly readableFor: number
  /** Is told of what went wrong where the answer needs nothing of it. */
  readonly onFault: (error: unknown) => void
}

/** What a result is called: of which file it is, and what was made of it. */
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
/** Files that are kept at most: each is remembered with some hundred bytes. */
const MOST_FILES = 100_000
/** Bytes up to which a result is answered from memory. */
const SMALL = 256 * 1024
/** A file whose last use was noted so many milliseconds ago is touched. */
const TOUCHED_AFTER = 3_600_000

interface Entry {
  readonly size: number
  /** When its use was noted on the disk last, in milliseconds since 1970. */
  touched: number
  /** Until when somebody may be reading it by its path. */
  readUntil: number
}

/**
 * Results on the disk, those used longest ago first out, and the hottest in memory too. A restart finds them again, and goes
 * by when files were touched last.
 *
 * `<directory>/<2 digits>/<hash of the file>-<hash of the result>.<extension>`; what is being written is in `unfinished-…`.
 */
export class PictureCache {
  readonly #options: PictureCacheOptions
  readonly #unfinished: string
  readonly #entries: LeastRecentlyUsed<Entry>
  readonly #memory: LeastRecentlyUsed<Buffer>
  /** The entries of each file, by its hash. */
  readonly #ofFile = new Map<string, Set<string>>()
  /** What is removed from the disk a little later. */
  readonly #leaving = new Map<string, NodeJS.Timeout>()
  readonly #removals = new Set<Promise<void>>()
  #isScanned = false
  #isClosed = false
  /** Fulfilled when all that is on the disk is known. Until then each request looks there itself. */
  readonly scanned: Promise<void>

  constructor(options: PictureCacheOptions) {
    this.#options = options
    this.#unfinished = join(options.directory, `unfinished-${randomBytes(8).toString('hex')}`)
    this.#entries = new LeastRecentlyUsed(options.diskBytes, MOST_FILES, (name, entry) => this.#leave(name, entry))
    this.#memory = new LeastRecentlyUsed(options.memoryBytes, MOST_FILES)
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
      // It was given up at this moment, or somebody has emptied the directory: it is made anew.
      if (this.#entries.delete(found)) this.#leave(found, entry)
      return null
    }
  }

  /**
   * Keeps a result. A disk that is full keeps nobody from seeing it.
   * @returns how to answer with it
   */
  async write(name: PictureName, { bytes, contentType }: RenderedPicture): Promise<Picture> {
    const entry = `${stemOf(name)}.${EXTENSIONS[contentType]!}`
    if (blocks(bytes.length) <= this.#options.diskBytes && !this.#isClosed) {
      try {
        await this.#store(entry, bytes)
      } catch (error) {
        // The reserve logs that it is reached.
        if (!(error instanceof ApiError)) this.#options.onFault(error)
      }
    }
    return { bytes, ...described(entry, bytes.length) }
  }

  /** Gives up all results of a file. */
  async forget(file: string): Promise<void> {
    const hash = hashOf(file)
    const found = this.#isScanned ? [] : await this.#onDisk(hash)
    for (const name of new Set([...found, ...(this.#ofFile.get(hash) ?? [])])) {
      this.#leave(name, this.#entries.delete(name))
    }
    await Promise.all(this.#removals)
  }

  /** What was given up goes at once; what is kept is there at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.scanned
    for (const name of [...this.#leaving.keys()]) this.#remove(name)
    await Promise.all(this.#removals)
    await rm(this.#unfinished, { recursive: true, force: true }).catch(this.#options.onFault)
  }

  /** @returns the name of the entry, with its extension */
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

  /** The file is there whole or not at all. */
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

  /** Forgets an entry at once; its file goes when nobody can be reading it. */
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

  /** Notes the use now and then, so that a restart knows of it. */
  #touch(name: string, entry: Entry): void {
    const now = Date.now()
    if (now - entry.touched < TOUCHED_AFTER) return
    entry.touched = now
    const seconds = now / 1000
    utimes(this.#path(name), seconds, seconds).catch(() => undefined)
  }

  /** Learns what is on the disk, and clears away what a crash has left unfinished. */
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
        // A power cut can leave a name without its content.
        if (file.size === 0) this.#remove(name)
        else found.push([name, { size: file.size, touched: file.mtimeMs, readUntil: 0 }, blocks(file.size)])
      }
    }
    found.sort(([, one], [, other]) => one.touched - other.touched)
    for (const [name] of found) this.#belongs(name)
    this.#entries.addBefore(found)
    this.#isScanned = true
  }

  /** The entries whose name begins so: with two digits at least, by which they lie in folders. */
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
