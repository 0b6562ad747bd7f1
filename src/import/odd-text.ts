import { notice } from '../notices/notice.ts'

/** What is reported of a text that was repaired. */
export const REPAIRED_TEXT = notice('textRepaired')

/** Escapes of a NUL or of a surrogate: only with these can JSON in UTF-8 hold texts that the database cannot. */
const ODD_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
/** Whole pairs come first, then what is alone; any other escape is passed over, so that `\\u0000` stays a backslash with text behind it. */
const ESCAPES =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u(?:0000|[dD][89a-fA-F][\da-fA-F]{2}))|\\./gs

/** Whether a JSON text may hold characters that the database cannot store: NUL or half of a surrogate pair. */
export function mayHoldOddText(json: string): boolean {
  return json.includes('\\u') && ODD_ESCAPE.test(json)
}

/** A JSON text with such characters replaced by U+FFFD, as `storableText` does; the same text where there are none. */
export function repairedJson(json: string): string {
  if (!mayHoldOddText(json)) return json
  return json.replace(ESCAPES, (found: string, alone: string | undefined) => (alone ? '\\ufffd' : found))
}
