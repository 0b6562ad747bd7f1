import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withGeoPointFloats } from '../geo-point-floats.ts'

/** Characters of an answer from which on it is sent in pieces. */
export const LARGE = 512 * 1024
/** Characters of a piece: one takes a tenth of a millisecond to encode. */
const PIECE = 64 * 1024
/** With what a GeoPoint begins that is shown otherwise than it is stored, … */
const TYPE = '"__type"'
/** … and more characters than it has from there on: the database writes 5e-324 with all its zeros. */
const GEO_POINT_LENGTH = 1000

/**
 * The bytes of a large answer, a piece in each turn of the event loop: to put 6 MB together, to encode them and to hand
 * them to the system takes 50 ms, in which nobody else would be served. Who reads slowly leaves most of it as text, which
 * is there only once.
 * @param parts texts that follow each other, none of which ends within a value
 */
export function inPieces(parts: readonly string[]): Readable {
  return Readable.from(pieces(parts), { objectMode: false })
}

async function* pieces(parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of gathered(parts)) {
    for (let start = 0; start < part.length; ) {
      const end = wholeEnd(part, start, start + PIECE)
      yield Buffer.from(withGeoPointFloats(part.slice(start, end)))
      start = end
      await nextTurn()
    }
  }
}

/** Few texts instead of many small ones; a large one stays what it is, as to put it together would copy it. */
function* gathered(parts: readonly string[]): Generator<string> {
  let small: string[] = []
  let size = 0
  for (const part of parts) {
    if (size > 0 && size + part.length >= PIECE) {
      yield small.join('')
      small = []
      size = 0
    }
    if (part.length >= PIECE) {
      yield part
      continue
    }
    small.push(part)
    size += part.length
  }
  if (size > 0) yield small.join('')
}

/** Where a piece ends that would go up to `end`: it parts neither a GeoPoint nor the halves of a character. */
function wholeEnd(text: string, start: number, end: number): number {
  if (end >= text.length) return text.length
  const beforeLast = Math.max(start + 1, end - GEO_POINT_LENGTH)
  const typed = text.slice(beforeLast, end + TYPE.length).lastIndexOf(TYPE)
  if (typed >= 0) return beforeLast + typed
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end
}
