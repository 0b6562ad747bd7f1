import { rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { parseChanges } from '../../objects/operations/parse.ts'
import type { PresentedObject } from '../../objects/store.ts'
import type { Where } from '../../objects/where/tree.ts'
import { schemaFor } from '../../objects/writing/create.ts'
import { deleteObject, deleteWithHook } from '../../objects/writing/delete.ts'
import { namesOf, withAuthority } from '../../objects/writing/hooked-writes.ts'
import { type UpdateOptions, updateObject, updateWithHook } from '../../objects/writing/update.ts'
import { isJsonObject } from '../../values/json.ts'
import { checkNotOwn } from './attributes.ts'
import { changeRow, type FollowClass, rowIn } from './follow-rows.ts'
import { FOLLOWEE, FOLLOWER, type Friendship, OTHER_USER, REQUEST, schemaOf, userIn } from './friendship.ts'
import { findRequest } from './friendship-requests.ts'
import { withPair } from './pair.ts'

/*
 * Writes to single objects of the friendship classes through the general class API, as SDKs send them. Both rows of a follow are
 * kept consistent (protocol/social, Objects of friendship classes).
 */

/**
 * Updates the attributes of a follow: in the named row, if its ACL and the condition permit it, and then in the other row.
 * @throws ApiError 119 for fields that clients cannot set, and the errors of `updateObject`
 */
export async function updateFollowRow(
  friendship: Friendship,
  className: FollowClass,
  id: string,
  body: unknown,
  options: UpdateOptions,
  sender: Caller,
): Promise<PresentedObject> {
  const { objects } = friendship
  const caller = withIgnoredHooks(objects, className, body, sender)
  const changes = parseChanges(body, true)
  if (!caller.master) checkNotOwn(changes.keys)
  const owners = await ownersOf(friendship, className, id)
  // A row that does not name two users has no other row. The master key can update it as an ordinary object.
  if (!owners) return updateObject(objects, className, id, body, options, caller)
  const twin = twinOf(className)
  const keys = namesOf(changes)
  checkPermission(className, schemaOf(friendship, className).permissions, 'update', caller)
  await schemaFor(objects, className, changes, caller)
  await schemaFor(objects, twin, changes, caller)
  await updateWithHook(objects, className, id, body, keys, caller)
  return withPair(
    friendship,
    owners.userId,
    owners.otherId,
    caller.origin?.principal,
    async (transaction, { forth }) => {
      const changed = await updateObject(
        objects,
        className,
        id,
        body,
        { ...options, transaction, updatedKeys: keys },
        caller,
      )
      const twinId = rowIn(forth, twin)
      if (twinId !== null && isJsonObject(body)) await changeRow(friendship, twin, twinId, body, caller, transaction)
      return changed
    },
  )
}

/** Deletes a row of a follow, if its ACL and the condition permit it, together with the other row. @throws as `deleteObject` */
export async function deleteFollowRow(
  friendship: Friendship,
  className: FollowClass,
  id: string,
  where: Where | null,
  caller: Caller,
): Promise<void> {
  const { objects } = friendship
  const owners = await ownersOf(friendship, className, id)
  if (!owners) return deleteObject(objects, className, id, where, caller)
  await deleteWithHook(objects, className, id, caller)
  await withPair(
    friendship,
    owners.userId,
    owners.otherId,
    caller.origin?.principal,
    async (transaction, { forth }) => {
      await deleteObject(objects, className, id, where, caller, transaction)
      const twin = twinOf(className)
      const twinId = rowIn(forth, twin)
      if (twinId !== null) await deleteObject(objects, twin, twinId, null, withAuthority(caller), transaction)
    },
  )
}

/**
 * Updates a request with the master key; clients can only accept or decline it. @throws ApiError 119, and the errors of
 * `updateObject`
 */
export async function updateRequest(
  { objects }: Friendship,
  id: string,
  body: unknown,
  options: UpdateOptions,
  caller: Caller,
): Promise<PresentedObject> {
  if (!caller.master)
    throw errors.notAllowedForClients(
      `Change a request with PUT /1.1/users/friendshipRequests/${id}/accept or …/decline.`,
    )
  return updateObject(objects, REQUEST, id, body, options, caller)
}

/**
 * Deletes a request. The requester of a declined request cannot delete it, because it could then ask again. Deleting a pending
 * request also deletes the attributes for the future friend.
 * @throws ApiError 119, and the errors of `deleteObject`
 */
export async function deleteRequest(
  friendship: Friendship,
  id: string,
  where: Where | null,
  caller: Caller,
): Promise<void> {
  const { objects } = friendship
  const users = await findRequest(friendship, id)
  if (!users) return deleteObject(objects, REQUEST, id, where, caller)
  await deleteWithHook(objects, REQUEST, id, caller)
  await withPair(friendship, users.userId, users.friendId, caller.origin?.principal, async (transaction, { forth }) => {
    const status = forth.request?.id === id ? forth.request.status : null
    if (status === 'declined' && !caller.master && caller.userId === users.userId)
      throw errors.notAllowedForClients(`The request ${id} was declined: only the user who declined it can delete it.`)
    await deleteObject(objects, REQUEST, id, where, caller, transaction)
    if (status === 'pending' && forth.followee !== null && forth.follower === null)
      await deleteObject(objects, FOLLOWEE, forth.followee, null, withAuthority(caller), transaction)
  })
}

/** Returns the follower and the followed user of a row; null when it does not name two users. */
async function ownersOf(
  friendship: Friendship,
  className: FollowClass,
  id: string,
): Promise<{ userId: string; otherId: string } | null> {
  const [row] = await friendship.database.query(sql`
    SELECT ${userIn('user')} AS owner, ${userIn(OTHER_USER[className])} AS other
    FROM ${schemaOf(friendship, className).table}
    WHERE id = ${id}`)
  const { owner, other } = row ? decodeOwners(row) : { owner: null, other: null }
  if (owner === null || other === null) return null
  return className === FOLLOWEE ? { userId: owner, otherId: other } : { userId: other, otherId: owner }
}

const decodeOwners = rowDecoder({ owner: text.orNull('owner'), other: text.orNull('other') })

function twinOf(className: FollowClass): FollowClass {
  return className === FOLLOWEE ? FOLLOWER : FOLLOWEE
}
