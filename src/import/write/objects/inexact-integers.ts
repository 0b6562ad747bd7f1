import { type Notice, notice } from '../../../notices/notice.ts'
import type { Json, JsonObject } from '../../../values/json.ts'

/**
 * Matches numbers of 16 or more digits; shorter ones cannot exceed 2^53. A number of more than 400 digits is infinite in
 * JavaScript, and is rejected elsewhere. Ids with many digits follow a quote or a letter, and do not match.
 */
const LONG_NUMBER = /[:[,\s-]\d{16}/
const LONGEST = 400

const QUOTE = 34
const [ZERO, NINE] = [48, 57]
/** Characters of a number besides digits. */
const PARTS = new Set(['.', 'e', 'E', '+', '-'])

/** Returns whether a value contains a number that may have been rounded. Only then is its text scanned again. */
export function holdsLargeNumber(value: Json): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsLargeNumber)
  for (const key of Object.keys(value)) if (holdsLargeNumber((value as JsonObject)[key]!)) return true
  return false
}

/**
 * Finds the integers of a JSON text that change when parsed: those beyond 2^53 without an exact double. It scans character by
 * character, because regular expressions over texts of megabytes run out of memory.
 * @returns a note, or none
 */
export function inexactIntegers(text: string): Notice[] {
  if (!LONG_NUMBER.test(text)) return []
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfText(text, index)
    } else if (code >= ZERO && code <= NINE) {
      const end = endOfNumber(text, index)
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

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && (isDigit(text, end) || PARTS.has(text[end]!))) end++
  return end
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= ZERO && code <= NINE
}

/** Returns the position after the closing quote of a string, which an even number of backslashes precedes. */
export function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}
