import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DiskReserve } from '../disk-reserve.ts'
import { errors } from '../errors.ts'
import type { MovedFile } from './move.ts'

/** The files of moves on this node: one folder per move, with its uploads and reports. */
export class MoveFiles {
  readonly #directory: string
  readonly #reserve: DiskReserve
  /** Files that are being written. Two pieces at the same time would corrupt the file. */
  readonly #busy = new Set<string>()

  /** @param directory where the files are stored; it must exist */
  constructor(directory: string, reserve: DiskReserve) {
    this.#directory = directory
    this.#reserve = reserve
  }

  pathOf(moveId: string, file: MovedFile): string {
    return join(this.#directory, moveId, 'files', file.name)
  }

  /** Returns the folder of the report of an action. */
  reportOf(moveId: string, action: string): string {
    return join(this.#directory, moveId, action)
  }

  /** Creates the folder for the report of an action. @returns its path */
  async openReport(moveId: string, action: string): Promise<string> {
    const path = this.reportOf(moveId, action)
    await mkdir(path, { recursive: true, mode: 0o700 })
    return path
  }

  /** @returns the number of bytes received of each file */
  async received(moveId: string, files: readonly MovedFile[]): Promise<number[]> {
    return Promise.all(files.map((file) => sizeOf(this.pathOf(moveId, file))))
  }

  /**
   * Appends a piece to a file.
   * @param offset bytes that the client assumes are stored; if it is wrong, nothing is written
   * @returns bytes that are stored
   * @throws ApiError 1 when the file would exceed its declared size, or another piece of it is being written; 503 when the disk
   *   has too little space; the error of `bytes`
   */
  async addPiece(moveId: string, file: MovedFile, offset: number, bytes: Readable): Promise<number> {
    const path = this.pathOf(moveId, file)
    if (this.#busy.has(path))
      throw errors.badArgument('Another chunk of this file is being received. Wait for it to finish.')
    this.#busy.add(path)
    try {
      await mkdir(join(this.#directory, moveId, 'files'), { recursive: true, mode: 0o700 })
      const before = await sizeOf(path)
      if (before !== offset) return before
      const max = file.size - before
      await pipeline(
        this.#reserve.guard(this.#directory, bytes),
        atMost(max),
        createWriteStream(path, { flags: 'a', mode: 0o600 }),
      )
      return sizeOf(path)
    } finally {
      this.#busy.delete(path)
    }
  }

  /** @param size bytes to be received. @throws ApiError 503 when the disk has too little space */
  async checkSpace(size: number): Promise<void> {
    await this.#reserve.check(this.#directory, size)
  }

  /** @returns null when the file does not exist or is empty */
  async open(path: string): Promise<{ readonly bytes: ReadStream; readonly size: number } | null> {
    const size = await sizeOf(path)
    return size === 0 ? null : { bytes: createReadStream(path), size }
  }

  async remove(moveId: string): Promise<void> {
    await rm(join(this.#directory, moveId), { recursive: true, force: true })
  }

  /** Removes the folders of all other moves. */
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
      if (left < 0) throw errors.badArgument('The file is longer than its announced size.')
      yield chunk
    }
  }
}
