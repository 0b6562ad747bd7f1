import { errors } from '../../errors.ts'
import { parsePath } from './path.ts'
import type { Ordering } from './tree.ts'

const MAX_KEYS = 32

/**
 * Parses `order`: comma-separated fields, descending with a leading minus; spaces around them are allowed and empty items skipped
 * (protocol/storage, Query parameters: order).
 * @example
 * parseOrder('-score,name') // [{ path: ['score'], descending: true }, { path: ['name'], descending: false }]
 * @throws ApiError 105 for an invalid field, 102 for `ACL` or more than 32 fields
 */
export function parseOrder(text: string): readonly Ordering[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  if (items.length > MAX_KEYS) throw errors.invalidQuery(`'order' must have at most ${MAX_KEYS} fields.`)
  return items.map((item) => {
    const descending = item.startsWith('-')
    const path = parsePath(item.replace(/^[-+]/, ''))
    if (path[0] === 'ACL') throw errors.invalidQuery("Results cannot be ordered by 'ACL'.")
    return { path, descending }
  })
}
