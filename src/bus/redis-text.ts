/*
 * Redis stores bytes, and a text that is sent to it becomes UTF-8. A lone surrogate has no form in UTF-8: it would be
 * replaced, and two texts could become one. So texts chosen by clients (topics, client ids) are escaped.
 */

/** Returns the text as JSON without the quotes; ordinary texts stay unchanged. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Separates two escaped texts, and occurs in neither. */
const SEPARATOR = '\n'
/** The character after the separator. */
const AFTER_SEPARATOR = '\v'

/** Joins two texts into one. Sorted, pairs with the same first text are adjacent. */
export function escapePair(first: string, second: string): string {
  return escapeText(first) + SEPARATOR + escapeText(second)
}

/** Returns the range of the pairs with this first text, for ZRANGEBYLEX. */
export function pairRange(first: string): [from: string, to: string] {
  return [`[${escapeText(first)}${SEPARATOR}`, `(${escapeText(first)}${AFTER_SEPARATOR}`]
}

/** Returns the second text of a pair. */
export function secondOfPair(pair: string): string {
  return unescapeText(pair.slice(pair.indexOf(SEPARATOR) + 1))
}

/** Reverses `escapeText`. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`) as string
}
