import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DiskReserve } from '../disk-reserve.ts'
import { errors } from '../errors.ts'
import type { MovedFile } from './move.ts'

/** The files of moves on this node: a folder for each, with what was uploaded and the reports. */
export class MoveFiles {
  readonly #directory: string
  readonly #reserve: DiskReserve
  /** Files that are being written: of two pieces at once one would spoil the other. */
  readonly #busy = new Set<string>()

  /** @param directory where they lie; it is there */
  constructor(directory: string, reserve: DiskReserve) {
    this.#directory = directory
    this.#reserve = reserve
  }

  pathOf(moveId: string, file: MovedFile): string {
    return join(this.#directory, moveId, 'files', file.name)
  }

  /** Where the report of an action lies. */
  reportOf(moveId: string, action: string): string {
    return join(this.#directory, moveId, action)
  }

  /** Makes place for the report of an action. @returns its folder */
  async openReport(moveId: string, action: string): Promise<string> {
    const path = this.reportOf(moveId, action)
    await mkdir(path, { recursive: true, mode: 0o700 })
    return path
  }

  /** @returns bytes of each file that are here */
  async received(moveId: string, files: readonly MovedFile[]): Promise<number[]> {
    return Promise.all(files.map((file) => sizeOf(this.pathOf(moveId, file))))
  }

  /**
   * Adds a piece at the end of a file.
   * @param offset bytes that the sender thinks are here: if it is wrong nothing is written
   * @returns bytes that are here
   * @throws ApiError 1 when it would become longer than it was said, 1 when a piece of it is being written, 503 when the disk has too little space; what the bytes end with
   */
  async addPiece(moveId: string, file: MovedFile, offset: number, bytes: Readable): Promise<number> {
    const path = this.pathOf(moveId, file)
    if (this.#busy.has(path)) throw errors.badArgument('A piece of this file is being received already.')
    this.#busy.add(path)
    try {
      await mkdir(join(this.#directory, moveId, 'files'), { recursive: true, mode: 0o700 })
      const before = await sizeOf(path)
      if (before !== offset) return before
      const most = file.size - before
      await pipeline(
        this.#reserve.guard(this.#directory, bytes),
        atMost(most),
        createWriteStream(path, { flags: 'a', mode: 0o600 }),
      )
      return sizeOf(path)
    } finally {
      this.#busy.delete(path)
    }
  }

  /** @param size bytes that are to come. @throws ApiError 503 when the disk has too little space */
  async checkSpace(size: number): Promise<void> {
    await this.#reserve.check(this.#directory, size)
  }

  /** @returns null when there is no such file */
  async open(path: string): Promise<{ readonly bytes: ReadStream; readonly size: number } | null> {
    const size = await sizeOf(path)
    return size === 0 ? null : { bytes: createReadStream(path), size }
  }

  async remove(moveId: string): Promise<void> {
    await rm(join(this.#directory, moveId), { recursive: true, force: true })
  }

  /** Removes the folders of all moves but these. */
  async keepOnly(moveIds: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#directory)) if (!moveIds.has(name)) await this.remove(name)
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

function atMost(bytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let left = bytes
    for await (const chunk of chunks) {
      left -= chunk.length
      if (left < 0) throw errors.badArgument('The file is longer than it was said to be.')
      yield chunk
    }
  }
}
