import { randomUUID } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskReserve, NO_RESERVE } from '../../disk-reserve.ts'

/** Bytes of a blob that are kept in memory; what is longer goes to the disk. */
const SMALL = 64 * 1024

/** Bytes that have all come, and wait for where they are to go. */
export interface Held {
  /** Bytes. */
  readonly size: number
  /** To be read more than once, where it has to be tried again. */
  open(): Buffer | ReadStream
  release(): Promise<void>
}

/**
 * A folder of this machine in which the bytes of an upload wait until all of them have come. Clients are slow, and a store
 * that is reached over a network takes parts of several megabytes: those of a thousand clients would not fit into memory.
 */
export class Spool {
  readonly #folder: string
  readonly #reserve: DiskReserve

  /** @param folder made when it is needed first */
  constructor(folder: string, reserve: DiskReserve = NO_RESERVE) {
    this.#folder = folder
    this.#reserve = reserve
  }

  /** @throws ApiError 503 when the disk has too little space for bytes that go to it */
  async checkSpace(size: number): Promise<void> {
    if (size <= SMALL) return
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#reserve.check(this.#folder, size)
  }

  /** @throws ApiError 503 when the disk has too little space; what the source throws, and what the system does; then nothing is left */
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

  /** Removes what a process that was killed has left behind for longer than `age` milliseconds. */
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
        // All of it, however the system takes it.
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
