import { parse } from 'csv-parse/sync'
import { type Notice, notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import { MAX_RECORD } from './record.ts'

/** Maximum columns of a row: more than a class can have fields, and few enough that a row of commas stays cheap. */
const MAX_COLUMNS = 2000
/** Bytes of complete rows that are parsed at once. */
const GROUP = 64 * 1024
const [QUOTE, COMMA, NEWLINE, RETURN] = [34, 44, 10, 13]

/**
 * Yields the rows of CSV without empty lines.
 * @throws SourceFault that names the line, after the rows before it: when a row has too many columns or bytes, a quote is invalid
 *   or not closed, or the file is cut off
 */
export async function* csvRows(reader: ByteReader): AsyncGenerator<readonly string[]> {
  const ending = endingIn(await reader.peek(GROUP))
  const delimiters = ending === RETURN ? ['\r'] : ['\r\n', '\n']
  for await (const { bytes, line } of rowGroups(reader, ending)) {
    const rows: string[][] = []
    const fault = parseInto(rows, bytes, line, delimiters)
    yield* rows
    if (fault) throw fault
  }
}

/** Returns whether no row of a text exceeds the maximum columns and bytes of `csvRows`, so that parsing it is cheap. */
export function hasPlausibleRows(text: string): boolean {
  return new RowScanner(NEWLINE).scan(Buffer.from(text)).wrong === null
}

/** Returns the byte that ends a line: line feed, or carriage return if no line feed follows the first one (classic Mac OS). */
function endingIn(beginning: Buffer): number {
  const at = beginning.findIndex((byte) => byte === NEWLINE || byte === RETURN)
  return beginning[at] === RETURN && at + 1 < beginning.length && beginning[at + 1] !== NEWLINE ? RETURN : NEWLINE
}

/** @returns the fault in the row after the added ones; null when there is none */
function parseInto(
  rows: string[][],
  bytes: Buffer,
  line: number,
  recordDelimiter: readonly string[],
): SourceFault | null {
  try {
    parse(bytes, {
      bom: line === 1,
      recordDelimiter: [...recordDelimiter],
      relaxColumnCount: true,
      skipEmptyLines: true,
      onRecord: (row: string[]) => {
        rows.push(row)
        return null
      },
    })
    return null
  } catch (error) {
    const { lines = 1 } = error as { lines?: number }
    return new SourceFault(notice('quotesWrong', { line: line + lines - 1 }))
  }
}

/** Complete rows, and the line number of the first one. */
interface RowGroup {
  readonly bytes: Buffer
  readonly line: number
}

/** Splits a file into groups of complete rows before they are parsed. @param ending the byte that ends a row outside of quotes */
async function* rowGroups(reader: ByteReader, ending: number): AsyncGenerator<RowGroup> {
  const scanner = new RowScanner(ending)
  let pieces: Buffer[] = []
  let first = 1
  let fault: unknown
  const take = (): RowGroup => {
    const group = { bytes: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), line: first }
    pieces = []
    first = scanner.rowLine
    return group
  }
  for (;;) {
    const chunk = await reader.next(GROUP).catch((error: unknown) => {
      fault = error
      return null
    })
    if (!chunk) break
    const { end, wrong } = scanner.scan(chunk)
    if (end > 0) {
      pieces.push(chunk.subarray(0, end))
      yield take()
    }
    if (wrong) throw wrong
    if (end < chunk.length) pieces.push(chunk.subarray(end))
  }
  if (!scanner.isQuoted && pieces.length > 0) yield take()
  if (fault !== undefined) throw fault
  if (scanner.isQuoted) throw scanner.unclosed()
}

/** Finds row ends in a file that is read in chunks. */
class RowScanner {
  readonly #ending: number
  #line = 1
  #quoteLine = 1
  #columns = 1
  #bytes = 0
  isQuoted = false
  /** The line in which the current row begins. */
  rowLine = 1

  constructor(ending: number) {
    this.#ending = ending
  }

  /** @returns the number of bytes in complete rows, and the fault in the row after them */
  scan(chunk: Buffer): { readonly end: number; readonly wrong: SourceFault | null } {
    let end = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (byte === QUOTE) {
        this.isQuoted = !this.isQuoted
        if (this.isQuoted) this.#quoteLine = this.#line
      } else if (byte === this.#ending) {
        this.#line++
        if (this.isQuoted) continue
        end = index + 1
        this.#begin()
      } else if (byte === COMMA && !this.isQuoted && ++this.#columns > MAX_COLUMNS)
        return { end, wrong: this.#wrong(notice('tooManyColumns', { maximum: MAX_COLUMNS })) }
    }
    this.#bytes += chunk.length - end
    if (this.#bytes <= MAX_RECORD) return { end, wrong: null }
    return {
      end,
      wrong: this.isQuoted ? this.unclosed() : this.#wrong(notice('tooManyBytes', { maximum: MAX_RECORD })),
    }
  }

  unclosed(): SourceFault {
    return new SourceFault(notice('quoteNotClosed', { line: this.#quoteLine, maximum: MAX_RECORD, rest: this.rowLine }))
  }

  #begin(): void {
    this.rowLine = this.#line
    this.#columns = 1
    this.#bytes = 0
  }

  #wrong(what: Notice): SourceFault {
    return new SourceFault(notice('rowUnreadable', { line: this.rowLine, reason: what }))
  }
}
