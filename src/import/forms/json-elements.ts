import { isUtf8 } from 'node:buffer'
import type { ByteReader } from '../sources/byte-reader.ts'
import { type ImportRecord, MAX_RECORD, SHOWN } from './record.ts'

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])
const ARRAY = 91
const SPACES = new Set([9, 10, 13, 32])
/** The longest name of a member that matters is `results`. */
const MAX_NAME = 64

/** The elements that `elementGroups` tells of, one by one. */
export async function* jsonElements(reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of elementGroups(reader)) yield* group
}

/**
 * The elements of a JSON array, or of the array `results` of a JSON object, as texts with their numbers, those together that
 * end in the same piece of the file. Only the element
 * that is being read is held; one that is too long is told of, and never held. Whether an element is JSON in itself is left
 * to whoever parses it.
 * @throws SourceFault where the file is cut off, after the element in which it is
 */
export async function* elementGroups(reader: ByteReader): AsyncGenerator<readonly ImportRecord[]> {
  const scanner = new Scanner()
  let fault: unknown
  for (;;) {
    const chunk = await reader.next().catch((error: unknown) => {
      fault = error
      return null
    })
    if (!chunk) break
    yield scanner.scan(chunk)
  }
  const last = scanner.unfinished()
  if (last) yield [{ ...last, reason: 'The file ends within it.' }]
  if (fault !== undefined) throw fault
}

/** Finds elements by counting brackets, whatever pieces the text comes in. */
class Scanner {
  #depth = 0
  #inText = false
  #escaped = false
  /** How deep elements lie; null before their array has begun. */
  #level: number | null = null
  #over = false
  /** The last text at the depth of the members of the whole, as it may be the name of one. */
  #name = ''
  #isNaming = false
  #isElement = false
  #pieces: Buffer[] = []
  #length = 0
  #count = 0

  /** The elements that end in a piece of the text. */
  scan(chunk: Buffer): ImportRecord[] {
    const ended: ImportRecord[] = []
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#inText) {
        this.#readText(byte)
        continue
      }
      if (this.#level === null || this.#over) {
        this.#readOutside(byte)
        continue
      }
      const isAtLevel = this.#depth === this.#level
      if (isAtLevel && (byte === COMMA || CLOSING.has(byte))) {
        if (this.#isElement) ended.push(this.#take(chunk.subarray(start, index)))
        this.#isElement = false
        if (byte !== COMMA) {
          this.#depth--
          this.#over = true
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
    return ended
  }

  /** The element that nothing has ended. */
  unfinished(): ImportRecord | null {
    return this.#isElement ? this.#take(Buffer.alloc(0)) : null
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) {
      this.#inText = false
      this.#isNaming = false
      return
    }
    if (this.#isNaming && this.#name.length < MAX_NAME) this.#name += String.fromCharCode(byte)
  }

  /** What stands around the array of elements. */
  #readOutside(byte: number): void {
    if (byte === QUOTE) {
      this.#inText = true
      this.#isNaming = this.#depth === 1
      if (this.#isNaming) this.#name = ''
    } else if (OPENING.has(byte)) {
      const isWhole = this.#depth === 0 && byte === ARRAY
      const isResults = this.#depth === 1 && byte === ARRAY && this.#name === 'results'
      this.#depth++
      if (!this.#over && (isWhole || isResults)) this.#level = this.#depth
    } else if (CLOSING.has(byte)) this.#depth--
    else if (byte === COMMA && this.#depth === 1) this.#name = ''
    else if (byte === COLON) this.#isNaming = false
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length - piece.length <= MAX_RECORD) this.#pieces.push(piece)
  }

  #take(piece: Buffer): ImportRecord {
    this.#keep(piece)
    const bytes = Buffer.concat(this.#pieces)
    const length = this.#length
    this.#pieces = []
    this.#length = 0
    const at = ++this.#count
    if (length <= MAX_RECORD && !isUtf8(bytes)) {
      const reason = 'The element is no UTF-8; save the file in that encoding.'
      return { at, text: bytes.toString('latin1', 0, SHOWN), reason }
    }
    if (length <= MAX_RECORD) return { at, text: bytes.toString('utf8').trimEnd() }
    return {
      at,
      text: bytes.toString('utf8', 0, SHOWN),
      reason: `The element has ${length} bytes; an object may have 16 MB.`,
    }
  }
}
