import type { Executor } from '../../database/pool.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { noteWrite, type PresentedObject } from '../../objects/store.ts'
import { insertObject, type NewObject, prepareObject } from '../../objects/writing/create.ts'
import { deleteObject, deleteWithHook } from '../../objects/writing/delete.ts'
import { withAuthority } from '../../objects/writing/hooked-writes.ts'
import { updateObject, updateWithHook } from '../../objects/writing/update.ts'
import type { JsonObject } from '../../values/json.ts'
import { FOLLOWEE, FOLLOWER, type Friendship, userPointer } from './friendship.ts'
import { friendshipAcl } from './friendship-acl.ts'
import type { Stand } from './pair.ts'

const BOTH = [FOLLOWEE, FOLLOWER] as const
export type FollowClass = (typeof BOTH)[number]

/** The intended state of a follow. */
export interface WantedFollow {
  /** Classes that should have a row; `_Followee` alone while a friend request is pending. */
  readonly classes: readonly FollowClass[]
  readonly attributes: JsonObject
  /** undefined: unchanged */
  readonly friendStatus?: boolean
}

export const follow = (attributes: JsonObject): WantedFollow => ({ classes: BOTH, attributes })
export const friend = (attributes: JsonObject): WantedFollow => ({ classes: BOTH, attributes, friendStatus: true })

/** Rows that the before hooks have approved. */
type Prepared = ReadonlyMap<FollowClass, NewObject>

/**
 * Calls the before hooks for the rows to be written, and registers their fields, before the transaction begins.
 * @param stand the current state
 * @throws ApiError 141 and 142 of hooks, and the errors of `prepareObject`
 */
export async function prepareFollow(
  friendship: Friendship,
  wanted: WantedFollow,
  stand: Stand,
  caller: Caller,
): Promise<Prepared> {
  const { objects } = friendship
  const prepared = new Map<FollowClass, NewObject>()
  for (const className of wanted.classes) {
    const id = rowIn(stand, className)
    if (id === null) {
      const body = newRow(friendship, className, wanted, stand)
      prepared.set(className, await prepareObject(objects, className, body, withAuthority(caller)))
      continue
    }
    const change = changeOf(wanted)
    const keys = Object.keys(change)
    if (keys.length > 0) await updateWithHook(objects, className, id, change, keys, withAuthority(caller))
  }
  return prepared
}

/**
 * Writes the rows: creates missing ones, and sets the attributes of existing ones.
 * @param stand the current state, read in the transaction of `withPair`
 */
export async function writeFollow(
  friendship: Friendship,
  wanted: WantedFollow,
  prepared: Prepared,
  stand: Stand,
  caller: Caller,
  transaction: Executor,
): Promise<void> {
  const { objects } = friendship
  for (const className of wanted.classes) {
    const id = rowIn(stand, className)
    if (id === null) {
      const body = newRow(friendship, className, wanted, stand)
      const object =
        prepared.get(className) ??
        (await prepareObject(objects, className, body, withAuthority(caller), { transaction }))
      await insertObject(objects, object, withAuthority(caller), transaction)
      transaction.afterCommit(() => noteWrite(objects, className))
    } else {
      await changeRow(friendship, className, id, changeOf(wanted), caller, transaction)
    }
  }
}

/** Updates one row as the server, unless there is nothing to change. @returns `objectId` and `updatedAt`; null: unchanged */
export async function changeRow(
  { objects }: Pick<Friendship, 'objects'>,
  className: string,
  id: string,
  change: JsonObject,
  caller: Caller,
  transaction: Executor,
): Promise<PresentedObject | null> {
  const updatedKeys = Object.keys(change)
  if (updatedKeys.length === 0) return null
  const options = { where: null, fetch: false, transaction, updatedKeys }
  return updateObject(objects, className, id, change, options, withAuthority(caller))
}

/** Calls the before hooks for the end of a follow. @throws ApiError 141, 142 */
export async function callUnfollowHook(
  { objects }: Pick<Friendship, 'objects'>,
  stand: Stand,
  caller: Caller,
): Promise<void> {
  for (const className of BOTH) {
    const id = rowIn(stand, className)
    if (id !== null) await deleteWithHook(objects, className, id, withAuthority(caller))
  }
}

/** Deletes the existing rows of a follow. */
export async function deleteFollow(
  { objects }: Pick<Friendship, 'objects'>,
  stand: Stand,
  caller: Caller,
  transaction: Executor,
): Promise<void> {
  for (const className of BOTH) {
    const id = rowIn(stand, className)
    if (id !== null) await deleteObject(objects, className, id, null, withAuthority(caller), transaction)
  }
}

export function rowIn(stand: Stand, className: FollowClass): string | null {
  return className === FOLLOWEE ? stand.followee : stand.follower
}

function newRow(
  friendship: Friendship,
  className: FollowClass,
  { attributes, friendStatus }: WantedFollow,
  { userId, otherId }: Stand,
): JsonObject {
  const users =
    className === FOLLOWEE
      ? { user: userPointer(userId), followee: userPointer(otherId) }
      : { user: userPointer(otherId), follower: userPointer(userId) }
  return {
    ACL: friendshipAcl(friendship.settings(), userId, otherId),
    ...attributes,
    ...(friendStatus !== undefined && { friendStatus }),
    ...users,
  }
}

function changeOf({ attributes, friendStatus }: WantedFollow): JsonObject {
  return { ...attributes, ...(friendStatus !== undefined && { friendStatus }) }
}
