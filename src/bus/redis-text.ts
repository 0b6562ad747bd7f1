/*
 * Redis keeps bytes, and a text that is sent to it becomes UTF-8. Half of a surrogate pair has no form in UTF-8: it would
 * come back as another character, and two texts could become one. So texts that others choose (topics, ids of clients) are
 * escaped.
 */

/** The text as JSON writes it, without the quotes; ordinary texts stay as they are. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Separates two escaped texts, and occurs in neither. */
const SEPARATOR = '\n'
/** The character after it. */
const BEHIND_SEPARATOR = '\v'

/** Two texts as one. In the order of the outcome, pairs with the same first text stand together. */
export function escapePair(first: string, second: string): string {
  return escapeText(first) + SEPARATOR + escapeText(second)
}

/** The range of the pairs with this first text, as ZRANGEBYLEX takes it. */
export function pairRange(first: string): [from: string, to: string] {
  return [`[${escapeText(first)}${SEPARATOR}`, `(${escapeText(first)}${BEHIND_SEPARATOR}`]
}

/** The second text of a pair. */
export function secondOfPair(pair: string): string {
  return unescapeText(pair.slice(pair.indexOf(SEPARATOR) + 1))
}

/** The text that was escaped. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`) as string
}
