import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'
import type { ByteRange } from './blob-store.ts'

// Callback functions of fs need fewer thread pool calls than file handles do.
const opened = promisify(open)
const bytesRead = promisify(read)

/**
 * Reads a range of a file, usually with one system call.
 * @returns fewer bytes when the file ends before the range does
 * @throws the system error
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
    // Not awaited, and errors are ignored: a failed close loses no data.
    close(file, () => {})
  }
}
