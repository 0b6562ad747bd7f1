import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'
import type { ByteRange } from './blob-store.ts'

// Each call of the system has a way to a thread and back, and objects for files have several more.
const opened = promisify(open)
const bytesRead = promisify(read)

/**
 * A part of a file, in one read where the system gives all of it at once.
 * @returns fewer bytes where the file ends before the range does
 * @throws what the system does
 */
export async function readPart(path: string, { start, end }: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(end - start + 1)
  const file = await opened(path, 'r')
  try {
    let length = 0
    while (length < bytes.length) {
      const got = await bytesRead(file, bytes, length, bytes.length - length, start + length)
      if (got.bytesRead === 0) break
      length += got.bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    // Nobody has to wait for that, and nothing is lost when it fails.
    close(file, () => {})
  }
}
