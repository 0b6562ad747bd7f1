import { type Notice, notice } from '../../../notices/notice.ts'
import type { Json, JsonObject } from '../../../values/json.ts'

/**
 * No shorter number can be beyond 2^53, and a longer one is no number of JavaScript at all: it is refused. Most ids have
 * many digits, too: what stands behind a quote or a letter is no number.
 */
const LONG_NUMBER = /[:[,\s-]\d{16}/
const LONGEST = 400

const QUOTE = 34
const [ZERO, NINE] = [48, 57]
/** What a number may have besides digits. */
const PARTS = new Set(['.', 'e', 'E', '+', '-'])

/** Whether a value holds a number that may not be what its text says: only then the text is worth reading again. */
export function holdsLargeNumber(value: Json): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsLargeNumber)
  for (const key of Object.keys(value)) if (holdsLargeNumber((value as JsonObject)[key]!)) return true
  return false
}

/**
 * The integers of a JSON text that are not the same when a client has read them: those beyond 2^53 that no double equals.
 * It reads character by character, because expressions over texts of megabytes run out of memory.
 * @returns a note, or none
 */
export function inexactIntegers(text: string): Notice[] {
  if (!LONG_NUMBER.test(text)) return []
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = behindText(text, index)
    } else if (code >= ZERO && code <= NINE) {
      const end = behindNumber(text, index)
      if (isInexact(text, index, end)) return [notice('roundedNumber')]
      index = end
    } else index++
  }
  return []
}

function isInexact(text: string, start: number, end: number): boolean {
  if (end - start < 16 || end - start > LONGEST) return false
  const token = text.slice(start, end)
  if (!/^\d+$/.test(token)) return false
  const number = Number(token)
  return Number.isFinite(number) && BigInt(number) !== BigInt(token)
}

function behindNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && (isDigit(text, end) || PARTS.has(text[end]!))) end++
  return end
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= ZERO && code <= NINE
}

/** Behind the quote that ends a text: one that no odd number of backslashes stands before. */
export function behindText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}
