import type { Cursor } from './cursor.ts'

/**
 * What stands behind `order by`, as a class query has it: fields, with a minus in front of those in descending order. A
 * sign before a field or, as in SQL, a word behind it says its direction, the sign first. Fields that have neither take
 * the direction of the word at the end of the list.
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

/** Whether it descends; null when it is not said. */
function readDirection(cursor: Cursor, descending: string, ascending: string): boolean | null {
  if (cursor.takes(descending)) return true
  return cursor.takes(ascending) ? false : null
}
