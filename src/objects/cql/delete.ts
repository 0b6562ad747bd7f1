import type { Cursor } from './cursor.ts'
import { readClassName } from './select.ts'
import { readTarget, type Target } from './target.ts'

/** A `delete` of one object in CQL. */
export interface Delete extends Target {
  readonly kind: 'delete'
  readonly className: string
}

/** Parses the text after `delete`. @throws ApiError 103, 104, 300 */
export function readDelete(cursor: Cursor): Delete {
  cursor.expect('from')
  return { kind: 'delete', className: readClassName(cursor), ...readTarget(cursor) }
}
