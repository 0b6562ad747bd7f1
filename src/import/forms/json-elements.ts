import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { JSON_SPACES } from '../sources/invisible-bytes.ts'
import { passComment } from './comments.ts'
import { linesAfterHeader } from './headed-lines.ts'
import { type ImportRecord, MAX_RECORD, PIECE, SHOWN } from './record.ts'
import { utf8Text } from './utf8-text.ts'

const [QUOTE, BACKSLASH, COMMA, COLON, ARRAY, OBJECT, HASH] = [34, 92, 44, 58, 91, 123, 35]
const OPENING = new Set([ARRAY, OBJECT])
const CLOSING = new Set([93, 125])
/** Maximum length of a member name: longer than any class name. */
const MAX_NAME = 600
/** Maximum depth of lists: a member of a member. */
const MAX_PATH = 2

/**
 * Selects the lists whose elements are read, by the path of member names that leads to them, which is empty for a top-level list.
 * Returns the name of the elements' list, or null to skip the list.
 */
export type ListChoice = (path: readonly string[]) => string | null

/** Selects a top-level list, or the list `results` of an object. */
export const ROOT_OR_RESULTS: ListChoice = (path) =>
  path.length === 0 || (path.length === 1 && path[0] === 'results') ? '' : null

/** An element with the name of its list. */
export interface Element extends ImportRecord {
  readonly list: string
}

/** Yields the elements of a list, or of the list `results` of an object. Other members are ignored. */
export async function* jsonElements(reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of elementGroups(reader, ROOT_OR_RESULTS))
    for (const { at, text, reason, notes, form } of group) if (form === undefined) yield { at, text, reason, notes }
}

/**
 * Yields the elements of lists in one or several consecutive JSON values as numbered texts, in groups that end in the same chunk
 * of the file. Only the current element is buffered; one that is too long is reported without being buffered. Elements are not
 * checked to be valid JSON; their parser does that. A value without a selected list is reported as a record without a form.
 * Comments between values are skipped. From a header of an export on, the file is read as lines, whose records have their form.
 * @throws SourceFault when the file is cut off, after the truncated element
 */
export async function* elementGroups(reader: ByteReader, choice: ListChoice): AsyncGenerator<readonly Element[]> {
  const scanner = new ElementScanner(choice)
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
    const skipped = await passComment(reader)
    if (skipped === null) {
      for await (const group of linesAfterHeader(reader)) yield group.map((one) => ({ ...one, list: '' }))
      return
    }
    scanner.pass(skipped)
  }
  yield scanner.unfinished()
  if (fault !== undefined) throw fault
}

/** Finds elements by counting brackets, in text that arrives in chunks. */
export class ElementScanner {
  readonly #choice: ListChoice
  #depth = 0
  #inText = false
  #escaped = false
  /** The depth of elements; null outside of selected lists. */
  #level: number | null = null
  #list = ''
  /** Whether the current value has a selected list. */
  #hasList = false
  #hasReported = false
  /** The name of the last member at each relevant depth; null when the value around it is a list. */
  readonly #names: (string | null)[] = []
  #isNaming = false
  #isElement = false
  #pieces: Buffer[] = []
  #length = 0
  #count = 0
  /** Bytes of the previous chunks. */
  #before = 0
  /** The index of a comment in the last chunk, at which the scan ended; null when it has none. */
  commentAt: number | null = null

  constructor(choice: ListChoice) {
    this.#choice = choice
  }

  /** Counts the bytes of a comment that was skipped. */
  pass(bytes: number): void {
    this.#before += bytes
  }

  /** Returns the elements that end in a chunk of the text, up to a comment between values. */
  scan(chunk: Buffer): Element[] {
    const ended: Element[] = []
    this.commentAt = null
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#inText) {
        this.#readText(byte)
        continue
      }
      if (this.#level === null) {
        if (byte === HASH && this.#depth === 0) {
          this.commentAt = index
          this.#before += index
          return ended
        }
        const invalid = this.#readOutside(byte, this.#before + index)
        if (invalid) ended.push(invalid)
        continue
      }
      const isAtLevel = this.#depth === this.#level
      if (isAtLevel && (byte === COMMA || CLOSING.has(byte))) {
        if (this.#isElement) ended.push(this.#take(chunk.subarray(start, index)))
        this.#isElement = false
        if (byte !== COMMA) {
          this.#depth--
          this.#level = null
        }
        continue
      }
      if (isAtLevel && !this.#isElement && !JSON_SPACES.has(byte)) {
        this.#isElement = true
        start = index
      }
      if (byte === QUOTE) this.#inText = true
      else if (OPENING.has(byte)) this.#depth++
      else if (CLOSING.has(byte)) this.#depth--
    }
    if (this.#isElement) this.#keep(chunk.subarray(start))
    this.#before += chunk.length
    return ended
  }

  /** Returns the element, or the value, that is not complete. */
  unfinished(): Element[] {
    const reason = notice('elementCutOff')
    if (this.#isElement) return [{ ...this.#take(Buffer.alloc(0)), reason }]
    return this.#depth > 0 ? [{ at: this.#count, text: '', reason: notice('listCutOff'), form: null, list: '' }] : []
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) {
      this.#inText = false
      this.#isNaming = false
      return
    }
    if (this.#isNaming) this.#readName(byte)
  }

  #readName(byte: number): void {
    const name = this.#names[this.#depth]
    if (typeof name === 'string' && name.length < MAX_NAME) this.#names[this.#depth] = name + String.fromCharCode(byte)
  }

  /** Reads a byte outside of selected lists. @returns a record for a value without a list, or for invalid text */
  #readOutside(byte: number, position: number): Element | null {
    if (this.#depth === 0) {
      if (JSON_SPACES.has(byte)) return null
      if (!OPENING.has(byte)) {
        this.#inText = byte === QUOTE
        return this.#invalidText(position)
      }
      this.#hasList = false
    }
    if (byte === QUOTE) {
      this.#inText = true
      this.#isNaming = this.#depth <= MAX_PATH && typeof this.#names[this.#depth] === 'string'
      if (this.#isNaming) this.#names[this.#depth] = ''
    } else if (OPENING.has(byte)) this.#open(byte)
    else if (CLOSING.has(byte)) {
      this.#depth--
      if (this.#depth === 0 && !this.#hasList) return this.#invalidText(position)
    } else if (byte === COMMA && typeof this.#names[this.#depth] === 'string') this.#names[this.#depth] = ''
    else if (byte === COLON) this.#isNaming = false
    return null
  }

  #open(byte: number): void {
    const path = this.#names.slice(1, this.#depth + 1)
    const isNamed = this.#depth <= MAX_PATH && path.every((name) => name !== null)
    this.#depth++
    if (this.#depth <= MAX_PATH) this.#names[this.#depth] = byte === OBJECT ? '' : null
    const list = byte === ARRAY && isNamed ? this.#choice(path as string[]) : null
    if (list === null) return
    this.#level = this.#depth
    this.#list = list
    this.#hasList = true
  }

  /** Reports invalid text once, because text that is not JSON has a fault at each byte. */
  #invalidText(position: number): Element | null {
    if (this.#hasReported) return null
    this.#hasReported = true
    const reason = notice('listValueInvalid', { byte: position })
    return { at: this.#count, text: '', reason, form: null, list: '' }
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length - piece.length <= MAX_RECORD) this.#pieces.push(piece)
  }

  #take(piece: Buffer): Element {
    this.#keep(piece)
    const bytes = Buffer.concat(this.#pieces)
    const length = this.#length
    this.#pieces = []
    this.#length = 0
    return { ...elementOf(++this.#count, bytes, length), list: this.#list }
  }
}

/** @param length the length of the element, which may not be buffered completely */
export function elementOf(at: number, bytes: Buffer, length: number): ImportRecord {
  if (length > MAX_RECORD) {
    const reason = notice('elementTooLong', { bytes: length })
    return { at, text: bytes.toString('utf8', 0, SHOWN), reason }
  }
  const decoded = utf8Text(bytes)
  if (decoded) return { at, ...decoded, text: decoded.text.trimEnd() }
  const reason = notice('elementNotUtf8')
  return { at, text: bytes.toString('latin1', 0, SHOWN), reason }
}
