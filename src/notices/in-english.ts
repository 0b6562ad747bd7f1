import { ENGLISH } from './english.ts'
import { fillIn, type Language } from './fill-in.ts'
import type { Notice } from './notice.ts'

export const IN_ENGLISH: Language = { catalog: ENGLISH, separator: ', ' }

/** Returns the text of a notice as commands print it and the API sends it. */
export function inEnglish(notice: Notice | string): string {
  return typeof notice === 'string' ? notice : fillIn(notice, IN_ENGLISH)
}
