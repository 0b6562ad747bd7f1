import { MAX_RECORD_DEPTH, MAX_RECORD_VALUES } from './parse-json.ts'

/** Bytes of values that have a fixed size, by the type of the element (bsonspec.org). */
const FIXED = new Map([
  [0x01, 8],
  [0x06, 0],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
])
const [DOCUMENT, LIST, BINARY, PATTERN, CODE_WITH_SCOPE] = [0x03, 0x04, 0x05, 0x0b, 0x0f] as const
/** Types that start with a length: string, code, symbol. A reference is a string followed by an id. */
const TEXTS = new Set([0x02, 0x0d, 0x0e])
const REFERENCE = 0x0c
const ID_BYTES = 12

/**
 * Checks that a BSON document does not exceed the maximum elements and depth of a record. Parsed into objects, the elements of 16
 * MB take gigabytes; this check allocates nothing for them. A damaged document passes, and its parser reports the damage.
 * @throws Error that names the exceeded maximum
 */
export function checkBsonExtent(bytes: Buffer): void {
  /** Ends of the documents that are being read, the outermost first. */
  const ends = [bytes.length]
  let at = 4
  let elements = 0
  while (ends.length > 0) {
    if (at >= ends.at(-1)! - 1) {
      at = ends.pop()!
      continue
    }
    if (++elements > MAX_RECORD_VALUES) throw new Error(`the document has more than ${MAX_RECORD_VALUES} values`)
    const type = bytes[at]!
    const nameEnd = bytes.indexOf(0, at + 1)
    if (nameEnd < 0) return
    const start = nameEnd + 1
    const within = documentAt(bytes, type, start)
    if (within !== null) {
      const size = sizeAt(bytes, within)
      if (size < 5 || within + size > ends.at(-1)!) return
      ends.push(within + size)
      if (ends.length > MAX_RECORD_DEPTH)
        throw new Error(`the document is nested more than ${MAX_RECORD_DEPTH} levels deep`)
      at = within + 4
      continue
    }
    const end = endOf(bytes, type, start)
    if (end === null || end > ends.at(-1)!) return
    at = end
  }
}

/** @returns the end of a value that is not a document; null when its type is unknown or its length wrong */
function endOf(bytes: Buffer, type: number, start: number): number | null {
  const fixed = FIXED.get(type)
  if (fixed !== undefined) return start + fixed
  if (type === PATTERN) {
    const pattern = bytes.indexOf(0, start)
    const options = pattern < 0 ? -1 : bytes.indexOf(0, pattern + 1)
    return options < 0 ? null : options + 1
  }
  const size = sizeAt(bytes, start)
  if (size < 0) return null
  if (TEXTS.has(type)) return start + 4 + size
  if (type === REFERENCE) return start + 4 + size + ID_BYTES
  if (type === BINARY) return start + 5 + size
  return null
}

/** @returns the start of the document that a value is, or ends with; null for other values */
function documentAt(bytes: Buffer, type: number, start: number): number | null {
  if (type === DOCUMENT || type === LIST) return start
  if (type !== CODE_WITH_SCOPE) return null
  // The total size, and the text of the code.
  const code = sizeAt(bytes, start + 4)
  return code < 0 ? bytes.length : start + 8 + code
}

/** @returns -1 when there are too few bytes */
function sizeAt(bytes: Buffer, at: number): number {
  return at + 4 <= bytes.length ? bytes.readInt32LE(at) : -1
}
