/*
 * Redis keeps bytes, and a text that is sent to it becomes UTF-8. Half of a surrogate pair has none: it would come back as
 * another character, and two texts could become one. What others choose (topics, ids of clients) is therefore escaped.
 */

/** The text as JSON writes it, without the quotes; ordinary texts stay as they are. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The text that was escaped. */
export function unescapeText(escaped: string): string {
  return JSON.parse(`"${escaped}"`) as string
}
