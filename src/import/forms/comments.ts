import type { ByteReader } from '../sources/byte-reader.ts'
import { isHeader } from './header-line.ts'

const NEWLINE = 10
/** Bytes in which the beginning of a header is recognized. */
const BEGINNING = 100

/**
 * Skips a comment between JSON values, which starts with `#` and ends with its line.
 * @returns the number of skipped bytes; null when it is a header of an export, which is not skipped
 */
export async function passComment(reader: ByteReader): Promise<number | null> {
  const beginning = (await reader.peek(BEGINNING)).toString('latin1')
  if (isHeader(beginning.split('\n', 1)[0]!)) return null
  const start = reader.position
  for (let piece = await reader.next(); piece; piece = await reader.next()) {
    const end = piece.indexOf(NEWLINE)
    if (end < 0) continue
    reader.unread(piece.subarray(end + 1))
    break
  }
  return reader.position - start
}
