import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { isHeader } from './header-line.ts'
import { type ImportRecord, MAX_RECORD, PIECE, SHOWN } from './record.ts'
import { utf8Text } from './utf8-text.ts'

const NEWLINE = 10
const RETURN = 13
/** The first byte of a byte-order mark. */
const MARK = 0xef
const IS_BLANK = /^[ \t\r\f\v]*$/
const NONE = Buffer.alloc(0)

/**
 * Yields the lines of a file that are neither empty nor comments, with their numbers. A line that is too long or not UTF-8 is
 * reported with a reason; one that is too long is not buffered. Byte-order marks are removed, also those of concatenated files.
 * @throws SourceFault when the file is cut off, after the truncated line
 */
export async function* lines(reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of lineGroups(reader)) yield* group
}

/**
 * Yields the lines in groups that end in the same chunk of the file.
 * @param withHeaders whether to include headers of exports
 */
export async function* lineGroups(reader: ByteReader, withHeaders = false): AsyncGenerator<readonly ImportRecord[]> {
  let number = 0
  for await (const group of rawLines(reader)) {
    const records: ImportRecord[] = []
    for (const line of group) {
      const record = recordOf(++number, line, withHeaders)
      if (record) records.push(record)
    }
    yield records
  }
}

interface RawLine {
  readonly bytes: Buffer
  /** Total bytes of the line. */
  readonly length: number
}

const EMPTY: RawLine = { bytes: NONE, length: 0 }

async function* rawLines(reader: ByteReader): AsyncGenerator<readonly RawLine[]> {
  let pieces: Buffer[] = []
  let length = 0
  const take = (): RawLine => {
    const line = { bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), length }
    pieces = []
    length = 0
    return line
  }
  const add = (piece: Buffer) => {
    length += piece.length
    // The rest of a line that is too long is counted, but not buffered.
    if (length - piece.length <= MAX_RECORD) pieces.push(piece)
  }
  let fault: unknown
  for (;;) {
    const chunk = await reader.next(PIECE).catch((error: unknown) => {
      fault = error
      return null
    })
    if (!chunk) break
    const ended: RawLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (end === start && pieces.length === 0) ended.push(EMPTY)
      else {
        add(chunk.subarray(start, end))
        ended.push(take())
      }
      start = end + 1
    }
    yield ended
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (length > 0) yield [take()]
  if (fault !== undefined) throw fault
}

function recordOf(at: number, { bytes, length }: RawLine, withHeaders: boolean): ImportRecord | null {
  const line = withoutEnds(bytes)
  if (length > MAX_RECORD) {
    const reason = notice('lineTooLong', { bytes: length })
    return { at, text: line.toString('utf8', 0, SHOWN), reason }
  }
  const decoded = utf8Text(line)
  if (!decoded) {
    const reason = notice('lineNotUtf8')
    return { at, text: line.toString('latin1', 0, SHOWN), reason }
  }
  const { text } = decoded
  if (text.startsWith('{')) return { at, ...decoded }
  return (text.startsWith('#') && !(withHeaders && isHeader(text))) || IS_BLANK.test(text) ? null : { at, ...decoded }
}

function withoutEnds(bytes: Buffer): Buffer {
  let start = 0
  while (bytes[start] === MARK && bytes.length >= start + 3 && bytes.readUIntBE(start, 3) === 0xefbbbf) start += 3
  const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length
  return end <= start ? NONE : bytes.subarray(start, end)
}
