import { isUtf8 } from 'node:buffer'
import type { Notice } from '../../notices/notice.ts'
import { REPAIRED_TEXT } from '../odd-text.ts'

/**
 * Matches surrogates, which Java and Python may write as three bytes each. Valid UTF-8 has no such bytes, so it never matches.
 * The bytes are matched as Latin-1.
 */
const SURROGATES = /\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]|\xed[\xa0-\xbf][\x80-\xbf]/g
const PAIR = 6

/** A text, and the changes that were made to it. */
interface Utf8Text {
  readonly text: string
  readonly notes?: readonly Notice[]
}

/** Decodes UTF-8. Surrogate pairs become their characters, and halves of pairs become U+FFFD. @returns null for other bytes */
export function utf8Text(bytes: Buffer): Utf8Text | null {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') }
  let halves = 0
  const repaired = bytes.toString('latin1').replace(SURROGATES, (match) => {
    const [unit, other] = [unitOf(match, 0), unitOf(match, PAIR / 2)]
    if (match.length < PAIR) halves++
    const text = match.length < PAIR ? '\ufffd' : String.fromCharCode(unit, other)
    return Buffer.from(text).toString('latin1')
  })
  const text = Buffer.from(repaired, 'latin1')
  if (!isUtf8(text)) return null
  return { text: text.toString('utf8'), ...(halves > 0 && { notes: [REPAIRED_TEXT] }) }
}

/** Returns the UTF-16 unit that three bytes encode. */
function unitOf(bytes: string, start: number): number {
  const [first, second, third] = [0, 1, 2].map((index) => bytes.charCodeAt(start + index))
  return ((first! & 0x0f) << 12) | ((second! & 0x3f) << 6) | (third! & 0x3f)
}
