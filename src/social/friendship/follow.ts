import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import type { PresentedObject } from '../../objects/store.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { admitAttributes, parseAttributes } from './attributes.ts'
import { callUnfollowHook, changeRow, deleteFollow, follow, prepareFollow, writeFollow } from './follow-rows.ts'
import { FOLLOWEE, FOLLOWER, type Friendship, schemaOf } from './friendship.ts'
import { checkNotBlocked, readPair, withPair } from './pair.ts'

/**
 * Makes a user follow another one, and the other one follow back if the app's settings say so. An existing follow gets the new
 * attributes (protocol/social, Friendship).
 * @param userId the follower, for whom the caller may act
 * @param body the attributes; null: none
 * @throws ApiError 1 when both are the same user, 116, 141, 142, 211, 403, and the errors of attributes
 */
export async function followUser(
  friendship: Friendship,
  userId: string,
  otherId: string,
  body: unknown,
  caller: Caller,
): Promise<void> {
  checkDifferent(userId, otherId)
  const attributes = parseAttributes(body, 'The body')
  const there = await readPair(friendship, userId, otherId)
  checkNotBlocked(there)
  await admitAttributes(friendship, 'create', attributes, false, caller)
  const { followBack } = friendship.settings()
  if (isFollow(there.forth) && isEmpty(attributes) && (!followBack || isFollow(there.back))) return
  const wanted = { forth: follow(attributes), back: follow({}) }
  const forth = await prepareFollow(friendship, wanted.forth, there.forth, caller)
  const back = followBack ? await prepareFollow(friendship, wanted.back, there.back, caller) : null
  await withPair(friendship, userId, otherId, caller.origin?.principal, async (transaction, pair) => {
    checkNotBlocked(pair)
    await writeFollow(friendship, wanted.forth, forth, pair.forth, caller, transaction)
    if (back) await writeFollow(friendship, wanted.back, back, pair.back, caller, transaction)
  })
}

/**
 * Ends a follow. A follow in the other direction remains.
 * @throws ApiError 141, 142, 221 when the user does not follow the other one, 403
 */
export async function unfollowUser(
  friendship: Friendship,
  userId: string,
  otherId: string,
  caller: Caller,
): Promise<void> {
  for (const className of [FOLLOWEE, FOLLOWER] as const)
    checkPermission(className, schemaOf(friendship, className).permissions, 'delete', caller)
  const there = await readPair(friendship, userId, otherId)
  await callUnfollowHook(friendship, there.forth, caller)
  await withPair(friendship, userId, otherId, caller.origin?.principal, async (transaction, { forth }) => {
    if (forth.followee === null && forth.follower === null) throw errors.friendshipMissing()
    await deleteFollow(friendship, forth, caller, transaction)
  })
}

/**
 * Updates the attributes of a follow in both of its rows.
 * @param body the attributes, or `{ friendship: attributes }`
 * @returns `objectId` and `updatedAt` of the row in `_Followee`
 * @throws ApiError 116, 141, 142, 221 when the user does not follow the other one, 403, and the errors of attributes
 */
export async function changeFollow(
  friendship: Friendship,
  userId: string,
  otherId: string,
  body: unknown,
  caller: Caller,
): Promise<PresentedObject> {
  const attributes = parseAttributes(attributesIn(body), 'The body')
  const there = await readPair(friendship, userId, otherId)
  if (there.forth.followee === null) throw errors.friendshipMissing()
  await admitAttributes(friendship, 'update', attributes, true, caller)
  await prepareFollow(friendship, { ...follow(attributes), classes: present(there.forth) }, there.forth, caller)
  return withPair(friendship, userId, otherId, caller.origin?.principal, async (transaction, { forth }) => {
    if (forth.followee === null) throw errors.friendshipMissing()
    if (forth.follower !== null) await changeRow(friendship, FOLLOWER, forth.follower, attributes, caller, transaction)
    const changed = await changeRow(friendship, FOLLOWEE, forth.followee, attributes, caller, transaction)
    return changed ?? { objectId: forth.followee }
  })
}

function attributesIn(body: unknown): unknown {
  if (!isJsonObject(body)) return body
  const { friendship, ...others } = body
  return isJsonObject(friendship) && Object.keys(others).length === 0 ? friendship : body
}

/** Checks that two users are different. @throws ApiError 1 */
export function checkDifferent(userId: string, otherId: string): void {
  if (userId === otherId) throw errors.badArgument(`The user ${userId} cannot follow or befriend itself.`)
}

function isFollow({ followee, follower }: { followee: string | null; follower: string | null }): boolean {
  return followee !== null && follower !== null
}

function present({ follower }: { follower: string | null }): readonly (typeof FOLLOWEE | typeof FOLLOWER)[] {
  return follower === null ? [FOLLOWEE] : [FOLLOWEE, FOLLOWER]
}

function isEmpty(attributes: JsonObject): boolean {
  return Object.keys(attributes).length === 0
}
