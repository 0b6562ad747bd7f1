import { parse } from 'csv-parse/sync'
import { type Notice, notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import { MAX_RECORD } from './record.ts'

/** Columns of a row: more than the fields of any class, and few enough that a row of nothing but commas costs nothing. */
const MAX_COLUMNS = 2000
/** Bytes of whole rows that are parsed at once. */
const GROUP = 64 * 1024
const [QUOTE, COMMA, NEWLINE, RETURN] = [34, 44, 10, 13]

/**
 * The rows of CSV, empty lines left out.
 * @throws SourceFault after the rows that came before it, where a row has too many columns or bytes, a quote is wrong or not
 * closed, or the file is cut off; it names the line
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

/** Whether no row of a text has more columns or bytes than `csvRows` takes: it can be parsed at little cost. */
export function hasPlausibleRows(text: string): boolean {
  return new RowScanner(NEWLINE).scan(Buffer.from(text)).wrong === null
}

/** The byte that ends a line: the newline, or the carriage return of old systems, where no newline follows the first. */
function endingIn(beginning: Buffer): number {
  const at = beginning.findIndex((byte) => byte === NEWLINE || byte === RETURN)
  return beginning[at] === RETURN && at + 1 < beginning.length && beginning[at + 1] !== NEWLINE ? RETURN : NEWLINE
}

/** @returns what is wrong with the row behind those that were added; null where nothing is */
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

/** Whole rows, and the line in which the first of them begins. */
interface RowGroup {
  readonly bytes: Buffer
  readonly line: number
}

/** Cuts a file into groups of whole rows, before anything is made of them. @param ending the byte that ends a row outside of quotes */
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

/** Finds where rows end, whatever pieces they come in. */
class RowScanner {
  readonly #ending: number
  #line = 1
  #quoteLine = 1
  #columns = 1
  #bytes = 0
  isQuoted = false
  /** The line in which the row begins that is being read. */
  rowLine = 1

  constructor(ending: number) {
    this.#ending = ending
  }

  /** @returns how many bytes belong to rows that have ended, and what is wrong with the row behind them */
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
