import type { Row } from '../../database/row.ts'
import type { ClassSchema } from '../classes/class-schema.ts'

/** A write of an object that has taken place. */
export interface Written {
  readonly schema: ClassSchema
  /** The row (`id`, `created_at`, `updated_at`, `acl`, `data`) as it was; null when the object is new. */
  readonly before: Row | null
  /** As it is now; null when it is deleted. */
  readonly after: Row | null
  /** The fields that the write named. */
  readonly updatedKeys: readonly string[]
}

/** Who wants to know of writes: live queries. */
export interface ObjectWatch {
  /** Whether anybody does for a class: where nobody does, a write prepares nothing. */
  isWatched(className: string): boolean
  /** Called after the commit; must not throw. */
  written(write: Written): void
  /** Called when a user has logged in, with the user's row; must not throw. */
  loggedIn(schema: ClassSchema, user: Row): void
}
