import { randomBytes } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveOfCommand } from '../../disk-reserve.ts'
import { ApiError } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import type { Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** A stream that was written to disk, so that any part of it can be read. */
export interface BufferedFile {
  readonly file: FileHandle
  /** Bytes. */
  readonly size: number
  /** The error that ended the stream early; undefined when there was none. */
  readonly fault: unknown
}

/**
 * Writes a stream into a temporary file that only its owner can read. The file has no name, so the system deletes it when it is
 * closed or the process ends. Zip archives inside other archives need this, because their directory is at their end.
 * @throws SourceFault when the disk has too little space
 */
export async function bufferToDisk(bytes: Bytes): Promise<BufferedFile> {
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
