import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withGeoPointFloats } from '../geo-point-floats.ts'

/** Size in characters from which on a response is sent in pieces. */
export const LARGE = 512 * 1024
/** Characters per piece: encoding one takes a tenth of a millisecond. */
const PIECE = 64 * 1024
/** The beginning of a GeoPoint, whose form in responses differs from the stored form, … */
const TYPE = '"__type"'
/** … and more characters than follow in a GeoPoint: the database writes 5e-324 with all its zeros. */
const GEO_POINT_LENGTH = 1000

/**
 * Returns the bytes of a large response as a stream, one piece per iteration of the event loop: joining, encoding and
 * sending 6 MB at once would block the event loop for 50 ms. With a slow client, most of the response stays text, which
 * exists only once.
 * @param parts consecutive texts, none of which ends within a value
 */
export function inPieces(parts: readonly string[]): Readable {
  return Readable.from(pieces(parts), { objectMode: false })
}

async function* pieces(parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of gathered(parts)) {
    for (let start = 0; start < part.length; ) {
      const end = characterBoundary(part, start, start + PIECE)
      yield Buffer.from(withGeoPointFloats(part.slice(start, end)))
      start = end
      await nextTurn()
    }
  }
}

/** Joins small texts into fewer; a large one is yielded unchanged, because joining would copy it. */
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

/** Returns where a piece that would end at `end` ends without splitting a GeoPoint or a surrogate pair. */
function characterBoundary(text: string, start: number, end: number): number {
  if (end >= text.length) return text.length
  const beforeLast = Math.max(start + 1, end - GEO_POINT_LENGTH)
  const typed = text.slice(beforeLast, end + TYPE.length).lastIndexOf(TYPE)
  if (typed >= 0) return beforeLast + typed
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end
}
