import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withGeoPointFloats } from '../geo-point-floats.ts'

/** Characters of an answer from which on it is sent in pieces. */
export const LARGE = 512 * 1024
/** Characters of a piece: one takes a tenth of a millisecond to encode. */
const PIECE = 64 * 1024

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
    const text = withGeoPointFloats(part)
    for (let start = 0; start < text.length; ) {
      const end = wholeCharacters(text, start + PIECE)
      yield Buffer.from(text.slice(start, end))
      start = end
      await nextTurn()
    }
  }
}

/** Few texts instead of many small ones. */
function* gathered(parts: readonly string[]): Generator<string> {
  let small: string[] = []
  let size = 0
  for (const part of parts) {
    small.push(part)
    size += part.length
    if (size < PIECE) continue
    yield small.join('')
    small = []
    size = 0
  }
  if (size > 0) yield small.join('')
}

/** The place itself, or the one behind it where it would part the halves of a character. */
function wholeCharacters(text: string, place: number): number {
  const code = text.charCodeAt(place - 1)
  return code >= 0xd800 && code < 0xdc00 ? place + 1 : place
}
