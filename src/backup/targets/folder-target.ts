import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DiskReserve, NO_RESERVE } from '../../disk-reserve.ts'
import { syncFolder } from '../sync-folder.ts'
import { type BackupTarget, FileMissing } from './backup-target.ts'

/** Suffix of files that are being written. */
const TEMPORARY = '.part'

/** Bytes written between two syncs, so that the last one does not wait for gigabytes. */
const SYNC_BYTES = 64 * 1024 * 1024

/** Stores backups in a folder, each in a folder of its own. */
export class FolderTarget implements BackupTarget {
  readonly description: string
  readonly #root: string
  readonly #reserve: DiskReserve

  /** @param root absolute path; created if missing */
  constructor(root: string, reserve: DiskReserve = NO_RESERVE) {
    this.#root = root
    this.#reserve = reserve
    this.description = `folder ${root}`
  }

  async write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
    const final = this.#path(path)
    const temporary = final + TEMPORARY
    if ((await mkdir(dirname(final), { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(this.#root)
    try {
      const file = await open(temporary, 'w', 0o600)
      try {
        let unsynced = 0
        for await (const chunk of content) {
          await this.#reserve.take(this.#root, chunk.length)
          await file.writeFile(chunk)
          unsynced += chunk.length
          if (unsynced < SYNC_BYTES) continue
          await file.datasync()
          unsynced = 0
        }
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, final)
      await syncFolder(dirname(final))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
  }

  async read(path: string): Promise<AsyncIterable<Buffer>> {
    const file = this.#path(path)
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new FileMissing(path, this.description)
      throw error
    })
    if (!found.isFile()) throw new FileMissing(path, this.description)
    return createReadStream(file, { highWaterMark: 256 * 1024 })
  }

  async folders(): Promise<string[]> {
    return (await this.#entries(this.#root)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
  }

  async files(folder: string): Promise<string[]> {
    const entries = await this.#entries(this.#path(folder))
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith(TEMPORARY))
      .map(({ name }) => name)
      .sort()
  }

  async removeFolder(folder: string, first?: string): Promise<void> {
    if (first !== undefined) {
      await this.remove(`${folder}/${first}`)
      await syncFolder(this.#path(folder)).catch(() => {})
    }
    await rm(this.#path(folder), { recursive: true, force: true })
  }

  async remove(path: string): Promise<void> {
    await unlink(this.#path(path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  close(): void {}

  #path(path: string): string {
    return join(this.#root, ...path.split('/'))
  }

  async #entries(folder: string) {
    return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
  }
}
