import { setImmediate as nextTurn } from 'node:timers/promises'

/** Characters decoded at a time, which takes half a millisecond. */
const SLICE = 256 * 1024

/** Maximum characters after a slice with padding. */
const END = 100

/** One character class only: if two parts could match the same characters, 20 MB of spaces would take hours. */
const CHARACTERS = /^[A-Za-z0-9+/\-_\s]*$/
const ENDING = /^[A-Za-z0-9+/\-_=\s]*$/

/**
 * Decodes base64 of either alphabet, with or without white space and padding; of a large text, one slice per iteration of the
 * event loop.
 * @returns null when the text is not base64
 */
export async function decodeBase64(text: string): Promise<Buffer | null> {
  if (text.length <= SLICE) return ENDING.test(text) ? Buffer.from(text, 'base64') : null
  const pieces: Buffer[] = []
  let rest = ''
  for (let start = 0; start < text.length; start += SLICE) {
    if (start > 0) await nextTurn()
    const slice = text.slice(start, start + SLICE)
    const isLast = start + SLICE >= text.length
    if (!CHARACTERS.test(slice)) {
      // Only padding and white space may follow the first padding, possibly in the next slice.
      const end = text.slice(start)
      if (end.length > SLICE + END || !ENDING.test(end) || !/^[=\s]*$/.test(end.slice(end.indexOf('=')))) return null
      pieces.push(Buffer.from(rest + end, 'base64'))
      return Buffer.concat(pieces)
    }
    const found = rest + slice.replace(/\s+/g, '')
    // Four characters encode three bytes: the remainder belongs to the next slice.
    const complete = isLast ? found.length : found.length - (found.length % 4)
    pieces.push(Buffer.from(found.slice(0, complete), 'base64'))
    rest = found.slice(complete)
  }
  return Buffer.concat(pieces)
}
