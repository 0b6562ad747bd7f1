import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { type ImportRecord, MAX_RECORD, PIECE, SHOWN } from './record.ts'
import { utf8Text } from './utf8-text.ts'

const [QUOTE, BACKSLASH, COMMA, COLON, ARRAY, OBJECT] = [34, 92, 44, 58, 91, 123]
const OPENING = new Set([ARRAY, OBJECT])
const CLOSING = new Set([93, 125])
/** What may stand between values: spaces, and the bytes of a byte-order mark. */
const SPACES = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf])
/** Characters of the name of a member: more than that of any class has. */
const MAX_NAME = 600
/** How deep lists may lie: in a member of a member. */
const MAX_PATH = 2

/**
 * Chooses the lists whose elements are read, by the names of the members that lead to them; none for a list that is the whole
 * value. Returns what the elements belong to, or null for a list that is not read.
 */
export type ListChoice = (path: readonly string[]) => string | null

/** A list that is the whole value, or the list `results` of an object. */
export const WHOLE_OR_RESULTS: ListChoice = (path) =>
  path.length === 0 || (path.length === 1 && path[0] === 'results') ? '' : null

/** An element with what its list was chosen as. */
export interface Element extends ImportRecord {
  readonly list: string
}

/** The elements of a list, or of the list `results` of an object, one by one; what stands beside them is ignored. */
export async function* jsonElements(reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of elementGroups(reader, WHOLE_OR_RESULTS))
    for (const { at, text, reason, notes, form } of group) if (form !== null) yield { at, text, reason, notes }
}

/**
 * The elements of lists in a JSON value, or in several values behind each other, as texts with their numbers, those together
 * that end in the same piece of the file. Only the element that is being read is held; one that is too long is named, and
 * never held. Whether an element is valid JSON is left to its parser. A value without a list that is read is named by a record
 * without a form.
 * @throws SourceFault where the file is cut off, after the element in which it is
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
  }
  yield scanner.unfinished()
  if (fault !== undefined) throw fault
}

/** Finds elements by counting brackets, whatever pieces the text comes in. */
export class ElementScanner {
  readonly #choice: ListChoice
  #depth = 0
  #inText = false
  #escaped = false
  /** How deep elements lie; null outside of lists that are read. */
  #level: number | null = null
  #list = ''
  /** Whether the value that is being read has a list that is read. */
  #hasList = false
  #hasStray = false
  /** The name of the last member at each depth that matters; null where the value around it is a list. */
  readonly #names: (string | null)[] = []
  #isNaming = false
  #isElement = false
  #pieces: Buffer[] = []
  #length = 0
  #count = 0
  /** Bytes of the pieces before. */
  #before = 0

  constructor(choice: ListChoice) {
    this.#choice = choice
  }

  /** The elements that end in a piece of the text. */
  scan(chunk: Buffer): Element[] {
    const ended: Element[] = []
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#inText) {
        this.#readText(byte)
        continue
      }
      if (this.#level === null) {
        const stray = this.#readOutside(byte, this.#before + index)
        if (stray) ended.push(stray)
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
      if (isAtLevel && !this.#isElement && !SPACES.has(byte)) {
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

  /** The element, or the value, that nothing has ended. */
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

  /** What stands around the lists. @returns a record for a value that has no list, or is none */
  #readOutside(byte: number, position: number): Element | null {
    if (this.#depth === 0) {
      if (SPACES.has(byte)) return null
      if (!OPENING.has(byte)) {
        this.#inText = byte === QUOTE
        return this.#stray(position)
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
      if (this.#depth === 0 && !this.#hasList) return this.#stray(position)
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

  /** Only the first is named: text that is no JSON has one at each byte. */
  #stray(position: number): Element | null {
    if (this.#hasStray) return null
    this.#hasStray = true
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

/** @param length of the element, of which not all may have been kept */
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
