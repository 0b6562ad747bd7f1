import { notice } from '../notices/notice.ts'

/** The note for a text that was repaired. */
export const REPAIRED_TEXT = notice('textRepaired')

/** Matches escapes of a NUL or of a surrogate. Only with these can JSON in UTF-8 contain text that the database cannot store. */
const ODD_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
/**
 * Matches whole pairs first, then single halves. Any other escape is skipped, so that `\\u0000` stays a backslash followed by
 * text.
 */
const ESCAPES =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./gs

/** Returns whether a JSON text may contain characters that the database cannot store: NUL or half of a surrogate pair. */
export function mayHoldOddText(json: string): boolean {
  return json.includes('\\u') && ODD_ESCAPE.test(json)
}

/** Replaces such characters in a JSON text with U+FFFD, as `storableText` does; returns the same text when there are none. */
export function repairedJson(json: string): string {
  if (!mayHoldOddText(json)) return json
  return json.replace(ESCAPES, (found: string, alone: string | undefined) => (alone ? '\\ufffd' : found))
}
