import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveOfCommand } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import type { Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** A stream that was written to the disk, so that any part of it can be read. */
export interface Spooled {
  readonly file: FileHandle
  /** Bytes. */
  readonly size: number
  /** Why the stream ended early; undefined where it did not. */
  readonly fault: unknown
}

/**
 * Writes a stream into a temporary file, for its owner alone, that has no name: it is gone when it is closed, or when the
 * process ends in whatever way. A zip archive within another archive needs it, because its directory stands at its end.
 * @throws SourceFault where the disk has no room for it
 */
export async function spool(bytes: Bytes): Promise<Spooled> {
  const path = join(tmpdir(), `homeport-archive-${randomBytes(12).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  let size = 0
  try {
    await unlink(path)
    let fault: unknown
    const pieces = bytes[Symbol.asyncIterator]()
    for (;;) {
      const next = await pieces.next().catch((error: unknown) => {
        fault = error
        return null
      })
      if (!next || next.done) return { file, size, fault }
      await reserveOfCommand().take(tmpdir(), next.value.length)
      await file.writeFile(next.value)
      size += next.value.length
    }
  } catch (error) {
    await file.close()
    const isFull = error instanceof ApiError || (error as NodeJS.ErrnoException).code === 'ENOSPC'
    if (!isFull) throw error
    throw new SourceFault(notice('temporaryFolderFull', { folder: tmpdir() }))
  }
}
