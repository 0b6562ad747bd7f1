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
 * The classes of who follows whom. A follow is a row of each of the first two; in `_Followee` the user is who follows, in
 * `_Follower` who is followed (protocol/social, Friendship).
 */
export const FOLLOWEE = '_Followee'
export const FOLLOWER = '_Follower'
export const REQUEST = '_FriendshipRequest'
export const BLOCKLIST = '_Blocklist'

/** The field of each class that names the other user beside `user`. */
export const OTHER_USER = {
  [FOLLOWEE]: 'followee',
  [FOLLOWER]: 'follower',
  [REQUEST]: 'friend',
  [BLOCKLIST]: 'blockedUser',
} as const

export type FriendshipClass = keyof typeof OTHER_USER

/** Who follows whom in an app, who asks whom to be friends, and who wants to hear nothing of whom. */
export interface Friendship {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly jobs: Jobs
  /** Whose turn it is on this node to do something between two users. */
  readonly pairTurns: SemaphoreByKey
  settings(): FriendshipSettings
}

export function schemaOf({ objects }: Pick<Friendship, 'objects'>, className: FriendshipClass | '_User'): ClassSchema {
  return objects.classes.get(className)!
}

/** The id of the user that a row names in a field, as SQL over the row. */
export function userIn(field: string): Sql {
  return referenceExpression(field, 'Pointer')
}

export function userPointer(objectId: string): JsonObject {
  return { __type: 'Pointer', className: '_User', objectId }
}
