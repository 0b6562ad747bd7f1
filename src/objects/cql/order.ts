import type { Cursor } from './cursor.ts'

/**
 * Parses the text after `order by` into the order of a class query: fields, with a minus before descending ones. The direction is
 * given by a sign before the field or, as in SQL, a word after it; the sign takes precedence. Fields without either take the
 * direction of the word at the end of the list.
 * @throws ApiError 300
 */
export function readOrder(cursor: Cursor): string[] {
  const items: { readonly field: string; readonly descends: boolean | null }[] = []
  let word: boolean | null
  do {
    const sign = readDirection(cursor, '-', '+')
    const field = cursor.name('a field')
    word = readDirection(cursor, 'desc', 'asc')
    items.push({ field, descends: sign ?? word })
  } while (cursor.takes(','))
  const others = word ?? false
  return items.map(({ field, descends }) => ((descends ?? others) ? `-${field}` : field))
}

/** Returns whether the order is descending; null when no direction is given. */
function readDirection(cursor: Cursor, descending: string, ascending: string): boolean | null {
  if (cursor.takes(descending)) return true
  return cursor.takes(ascending) ? false : null
}
