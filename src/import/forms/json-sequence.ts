import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { JSON_SPACES } from '../sources/invisible-bytes.ts'
import { passComment } from './comments.ts'
import { linesAfterHeader } from './headed-lines.ts'
import { elementOf } from './json-elements.ts'
import { type ImportRecord, MAX_RECORD, PIECE } from './record.ts'

const [QUOTE, BACKSLASH, HASH] = [34, 92, 35]
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])

/**
 * Yields consecutive JSON values, with any white space and comments between them, as numbered texts. From a header of an export
 * on, the file is read as lines.
 * @throws SourceFault when the file is cut off, after the truncated value
 */
export async function* valueGroups(reader: ByteReader): AsyncGenerator<readonly ImportRecord[]> {
  const scanner = new ValueScanner()
  let fault: unknown
  for (;;) {
    const chunk = await reader.next(PIECE).catch((error: unknown) => {
      fault = error
      return null
    })
    if (!chunk) break
    yield scanner.scan(chunk)
    if (scanner.commentAt === null) continue
    reader.unread(chunk.subarray(scanner.commentAt))
    if ((await passComment(reader)) !== null) continue
    yield* linesAfterHeader(reader)
    return
  }
  yield scanner.unfinished()
  if (fault !== undefined) throw fault
}

/** Returns the first value of a text; null when the text ends within it. */
export function firstValueOf(text: Buffer): string | null {
  return new ValueScanner().scan(text)[0]?.text ?? null
}

/** Finds values by counting brackets, in text that arrives in chunks. */
class ValueScanner {
  #depth = 0
  #inText = false
  #escaped = false
  #isValue = false
  #pieces: Buffer[] = []
  #length = 0
  #count = 0
  /** The index of a comment in the last chunk, at which the scan ended; null when it has none. */
  commentAt: number | null = null

  /** Returns the values that end in a chunk of the text, up to a comment between values. */
  scan(chunk: Buffer): ImportRecord[] {
    const ended: ImportRecord[] = []
    this.commentAt = null
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#inText) {
        this.#readText(byte)
        continue
      }
      const isOutside = this.#depth === 0
      // A top-level number, word or string ends at white space or at the start of the next value.
      if (isOutside && this.#isValue && (JSON_SPACES.has(byte) || OPENING.has(byte) || byte === HASH)) {
        ended.push(this.#take(chunk.subarray(start, index)))
        this.#isValue = false
      }
      if (isOutside && !this.#isValue && byte === HASH) {
        this.commentAt = index
        return ended
      }
      if (isOutside && !this.#isValue && !JSON_SPACES.has(byte)) {
        this.#isValue = true
        start = index
      }
      if (byte === QUOTE) this.#inText = true
      else if (OPENING.has(byte)) this.#depth++
      else if (CLOSING.has(byte) && this.#depth > 0 && --this.#depth === 0) {
        ended.push(this.#take(chunk.subarray(start, index + 1)))
        this.#isValue = false
      }
    }
    if (this.#isValue) this.#keep(chunk.subarray(start))
    return ended
  }

  /** Returns the value that is not complete. */
  unfinished(): ImportRecord[] {
    if (!this.#isValue) return []
    const value = this.#take(Buffer.alloc(0))
    return [this.#depth === 0 && !this.#inText ? value : { ...value, reason: notice('elementCutOff') }]
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) this.#inText = false
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length - piece.length <= MAX_RECORD) this.#pieces.push(piece)
  }

  #take(piece: Buffer): ImportRecord {
    this.#keep(piece)
    const [bytes, length] = [Buffer.concat(this.#pieces), this.#length]
    this.#pieces = []
    this.#length = 0
    return elementOf(++this.#count, bytes, length)
  }
}
