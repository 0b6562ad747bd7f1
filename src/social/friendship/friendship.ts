import type { Database } from '../../database/pool.ts'
import type { Sql } from '../../database/sql.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { ObjectStore } from '../../objects/store.ts'
import { referenceExpression } from '../../objects/where/columns.ts'
import type { SemaphoreByKey } from '../../scheduling/semaphore-by-key.ts'
import type { JsonObject } from '../../values/json.ts'
import type { FriendshipSettings } from './friendship-settings.ts'

/**
 * Classes of follows. A follow has a row in each of the first two: in `_Followee` the field `user` is the follower, in
 * `_Follower` the followed user (protocol/social, Friendship).
 */
export const FOLLOWEE = '_Followee'
export const FOLLOWER = '_Follower'
export const REQUEST = '_FriendshipRequest'
export const BLOCKLIST = '_Blocklist'

/** The field of each class that names the other user besides `user`. */
export const OTHER_USER = {
  [FOLLOWEE]: 'followee',
  [FOLLOWER]: 'follower',
  [REQUEST]: 'friend',
  [BLOCKLIST]: 'blockedUser',
} as const

export type FriendshipClass = keyof typeof OTHER_USER

/** The follows, friend requests and block lists of an app. */
export interface Friendship {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly jobs: Jobs
  /** Serializes operations on the same pair of users on this node. */
  readonly pairLocks: SemaphoreByKey
  settings(): FriendshipSettings
}

export function schemaOf({ objects }: Pick<Friendship, 'objects'>, className: FriendshipClass | '_User'): ClassSchema {
  return objects.classes.get(className)!
}

/** Returns SQL for the id of the user in a field of a row. */
export function userIn(field: string): Sql {
  return referenceExpression(field, 'Pointer')
}

export function userPointer(objectId: string): JsonObject {
  return { __type: 'Pointer', className: '_User', objectId }
}
