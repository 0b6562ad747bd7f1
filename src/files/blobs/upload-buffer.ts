import { randomUUID } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskReserve, NO_RESERVE } from '../../disk-reserve.ts'

/** Maximum bytes of a blob that is held in memory. Larger blobs are written to disk. */
const SMALL = 64 * 1024

/** The complete bytes of an upload, waiting to be sent to the store. */
export interface Held {
  /** Bytes. */
  readonly size: number
  /** Returns the bytes. Can be called again for a retry. */
  open(): Buffer | ReadStream
  release(): Promise<void>
}

/**
 * Upload buffer: a local folder that holds the bytes of an upload until all have arrived. Clients are slow, and a remote store
 * needs parts of several megabytes; those of a thousand clients would not fit into memory.
 */
export class UploadBuffer {
  readonly #folder: string
  readonly #reserve: DiskReserve

  /** @param folder created on first use */
  constructor(folder: string, reserve: DiskReserve = NO_RESERVE) {
    this.#folder = folder
    this.#reserve = reserve
  }

  /** Checks that the disk has space for `size` bytes, if they would be written to disk. @throws ApiError 503 */
  async checkSpace(size: number): Promise<void> {
    if (size <= SMALL) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#reserve.check(this.#folder, size)
  }

  /**
   * Buffers all bytes of a source. Deletes the file when that fails.
   * @throws ApiError 503 when the disk has too little space; the error of the source or the system
   */
  async hold(source: AsyncIterable<Buffer>): Promise<Held> {
    const beginning: Buffer[] = []
    let size = 0
    const iterator = source[Symbol.asyncIterator]()
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      beginning.push(next.value)
      size += next.value.length
      if (size > SMALL) return this.#write(beginning, iterator)
    }
    const bytes = Buffer.concat(beginning)
    return { size, open: () => bytes, release: async () => {} }
  }

  /** Deletes files of killed processes that are older than `age` milliseconds. */
  async sweep(age: number): Promise<void> {
    const latest = Date.now() - age
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(() => null)
      if (found && found.mtimeMs < latest) await rm(path, { force: true })
    }
  }

  async #write(beginning: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<Held> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, `.tmp-${randomUUID()}`)
    const file = await open(path, 'wx', 0o600)
    let size = 0
    try {
      for (const chunk of beginning) {
        await this.#reserve.take(this.#folder, chunk.length)
        // `writeFile` writes the whole chunk, also when the system accepts only a part of it at once.
        await file.writeFile(chunk)
        size += chunk.length
      }
      for (let next = await rest.next(); !next.done; next = await rest.next()) {
        await this.#reserve.take(this.#folder, next.value.length)
        await file.writeFile(next.value)
        size += next.value.length
      }
    } catch (error) {
      await file.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
      throw error
    }
    await file.close()
    return { size, open: () => createReadStream(path), release: () => rm(path, { force: true }) }
  }
}
