import type { Row } from '../../database/row.ts'
import type { ClassSchema } from '../classes/class-schema.ts'

/** A completed write of an object. */
export interface Written {
  readonly schema: ClassSchema
  /** The row (`id`, `created_at`, `updated_at`, `acl`, `data`) before the write; null when the object is new. */
  readonly before: Row | null
  /** The row after the write; null when the object is deleted. */
  readonly after: Row | null
  /** The fields named by the write. */
  readonly updatedKeys: readonly string[]
}

/** Receives writes: live queries. */
export interface ObjectWatch {
  /** Returns whether writes of a class are observed. If not, they prepare nothing. */
  isWatched(className: string): boolean
  /** Called after the commit; must not throw. */
  written(write: Written): void
  /** Called when a user has logged in, with the user's row; must not throw. */
  loggedIn(schema: ClassSchema, user: Row): void
}
