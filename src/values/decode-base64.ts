import { setImmediate as nextTurn } from 'node:timers/promises'

/** Characters that are decoded at a time: half a millisecond. */
const SLICE = 256 * 1024

/** Characters that may follow a slice with padding. */
const END = 100

/** Of one class: where two could take the same characters, 20 MB of spaces would take hours. */
const CHARACTERS = /^[A-Za-z0-9+/\-_\s]*$/
const ENDING = /^[A-Za-z0-9+/\-_=\s]*$/

/**
 * Decodes base64, of either alphabet, with white space and padding or without; a large text a slice in each turn of the event loop.
 * @returns null for what is no base64
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
      // Only padding and white space may follow the first padding; the next slice may have some of them.
      const end = text.slice(start)
      if (end.length > SLICE + END || !ENDING.test(end) || !/^[=\s]*$/.test(end.slice(end.indexOf('=')))) return null
      pieces.push(Buffer.from(rest + end, 'base64'))
      return Buffer.concat(pieces)
    }
    const found = rest + slice.replace(/\s+/g, '')
    // Four characters are three bytes: what is left over belongs to the next slice.
    const whole = isLast ? found.length : found.length - (found.length % 4)
    pieces.push(Buffer.from(found.slice(0, whole), 'base64'))
    rest = found.slice(whole)
  }
  return Buffer.concat(pieces)
}
