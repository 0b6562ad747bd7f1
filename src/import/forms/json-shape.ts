import type { ByteReader } from '../sources/byte-reader.ts'
import { JSON_SPACES } from '../sources/invisible-bytes.ts'
import { isHeader } from './header-line.ts'

/** The shape of the first value of a text, an object, as far as it determines how the text is read. */
export interface JsonShape {
  /** Whether another value follows, before a header of an export; null when the text ends within the first one. */
  readonly isSeveral: boolean | null
  /** Whether a line ends within the first value, and whether one ends directly after it. */
  readonly hasLines: boolean
  readonly endsLine: boolean
  /** The kinds of its members, and of the members of its member `data`. */
  readonly members: Members
  readonly data: Members
}

/** `objects`: a list that contains only objects. */
type MemberKind = 'objects' | 'list' | 'object' | 'other'
type Members = ReadonlyMap<string, MemberKind>

const [QUOTE, BACKSLASH, COMMA, COLON, ARRAY, OBJECT, NEWLINE, HASH] = [34, 92, 44, 58, 91, 123, 10, 35]
const OPENING = new Set([ARRAY, OBJECT])
const CLOSING = new Set([93, 125])
/** An object with more members or longer member names is not an object of lists by class. */
const MAX_MEMBERS = 1000
/** Bytes in which the beginning of a header is recognized. */
const MAX_HEADER = 100
const MAX_NAME = 600

/**
 * Returns the shape of a text that begins with an object, as far as it can be read. Values are not buffered, so the text can have
 * any length.
 */
export async function shapeOf(reader: ByteReader): Promise<JsonShape> {
  const scanner = new ShapeScanner()
  try {
    for await (const piece of reader.rest()) if (scanner.scan(piece)) break
  } catch {
    // The same fault occurs when the records are read; for a file without records, `reader.fault` has it.
  }
  return scanner.shape
}

/** Returns the shape of a complete text. */
export function shapeOfText(text: Buffer): JsonShape {
  const scanner = new ShapeScanner()
  scanner.scan(text)
  return scanner.shape
}

class ShapeScanner {
  #depth = 0
  #inText = false
  #escaped = false
  #isEnded = false
  #isSeveral = false
  #hasLines = false
  #endsLine = false
  /** The beginning of a comment after the value; null outside of comments. */
  #comment: string | null = null
  #isBeforeHeader = false
  readonly #members = new Map<string, MemberKind>()
  readonly #data = new Map<string, MemberKind>()
  /** The names of the current members at depth 1 and 2. */
  readonly #names = ['', '', '']
  #text: number[] = []
  /** Collects the names of the next members; null within lists and at greater depth. */
  #target: Map<string, MemberKind> | null = null
  /** A list whose elements are inspected. */
  #list: { readonly of: Map<string, MemberKind>; readonly name: string; readonly depth: number } | null = null

  get shape(): JsonShape {
    return {
      isSeveral: this.#isEnded ? this.#isSeveral : null,
      hasLines: this.#hasLines,
      endsLine: this.#endsLine,
      members: this.#members,
      data: this.#data,
    }
  }

  /** @returns whether the shape is final */
  scan(piece: Buffer): boolean {
    for (const byte of piece) {
      if (this.#isSeveral || this.#isBeforeHeader) return true
      if (this.#inText) this.#readText(byte)
      else if (this.#isEnded) this.#readAfter(byte)
      else this.#read(byte)
    }
    return this.#isSeveral || this.#isBeforeHeader
  }

  /** Reads a byte after the value. A comma or comment is not another value. */
  #readAfter(byte: number): void {
    if (byte === NEWLINE) {
      this.#endsLine = true
      this.#comment = null
    } else if (this.#comment !== null) {
      if (this.#comment.length >= MAX_HEADER) return
      this.#comment += String.fromCharCode(byte)
      this.#isBeforeHeader = isHeader(this.#comment)
    } else if (byte === HASH) this.#comment = '#'
    else if (byte !== COMMA && !JSON_SPACES.has(byte)) this.#isSeveral = true
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) {
      this.#inText = false
      return
    }
    if (this.#target && this.#text.length < MAX_NAME) this.#text.push(byte)
  }

  #read(byte: number): void {
    if (byte === NEWLINE) this.#hasLines = true
    if (JSON_SPACES.has(byte)) return
    if (this.#list?.depth === this.#depth && byte !== COMMA && byte !== OBJECT && !CLOSING.has(byte)) {
      this.#list.of.set(this.#list.name, 'list')
      this.#list = null
    }
    if (byte === QUOTE) {
      this.#inText = true
      this.#text = []
    } else if (byte === COLON) this.#name()
    else if (OPENING.has(byte)) this.#open(byte)
    else if (CLOSING.has(byte)) this.#close()
  }

  /** Records the preceding string as the name of a member. */
  #name(): void {
    if (!this.#target) return
    const name = Buffer.from(this.#text).toString('utf8')
    this.#names[this.#depth] = name
    if (this.#target.size < MAX_MEMBERS) this.#target.set(name, 'other')
  }

  #open(byte: number): void {
    const of = this.#target
    const name = this.#names[this.#depth]!
    this.#depth++
    if (of) {
      of.set(name, byte === ARRAY ? 'objects' : 'object')
      if (byte === ARRAY) this.#list = { of, name, depth: this.#depth }
    }
    const isData = this.#depth === 2 && of === this.#members && name === 'data' && byte === OBJECT
    this.#target = this.#depth === 1 && byte === OBJECT ? this.#members : isData ? this.#data : null
  }

  #close(): void {
    this.#depth--
    if (this.#list && this.#depth < this.#list.depth) this.#list = null
    const isInData = this.#depth === 2 && this.#members.get('data') === 'object' && this.#names[1] === 'data'
    this.#target = this.#depth === 1 ? this.#members : isInData ? this.#data : null
    if (this.#depth === 0) this.#isEnded = true
  }
}
