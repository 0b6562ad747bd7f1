import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { noteWrite } from '../../objects/store.ts'
import { insertObject, type NewObject, prepareObject } from '../../objects/writing/create.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { withAuthority } from '../../objects/writing/hooked-writes.ts'
import type { JsonObject } from '../../values/json.ts'
import { checkDifferent } from './follow.ts'
import { deleteFollow } from './follow-rows.ts'
import { BLOCKLIST, type Friendship, REQUEST, userPointer } from './friendship.ts'
import { setStatus } from './friendship-requests.ts'
import { type Pair, readPair, withPair } from './pair.ts'
import { friendshipRows, isTaken, restoreFriendship, suspendedBy, suspendUntil } from './suspended-friendship.ts'

/**
 * Blocks a user for another one (protocol/social, Block list): ends follows in both directions, suspends a friendship, declines
 * the other user's pending request and deletes the caller's. The other user is not notified.
 * @param userId the blocking user, for whom the caller may act
 * @throws ApiError 1 when both are the same user, 141, 142, 211
 */
export async function blockUser(
  friendship: Friendship,
  userId: string,
  otherId: string,
  caller: Caller,
): Promise<void> {
  const { objects } = friendship
  checkDifferent(userId, otherId)
  const there = await readPair(friendship, userId, otherId)
  if (!there.complete) throw errors.userNotFound()
  if (there.forth.block !== null) return
  const row = { user: userPointer(userId), blockedUser: userPointer(otherId), ACL: { [userId]: { read: true } } }
  const object = await prepareObject(objects, BLOCKLIST, row, withAuthority(caller))
  await withPair(
    friendship,
    userId,
    otherId,
    caller.origin?.principal,
    async (transaction, { complete, forth, back }) => {
      if (!complete) throw errors.userNotFound()
      if (forth.block !== null) return
      const rows = await friendshipRows(friendship, { complete, forth, back }, transaction)
      await insertObject(objects, withSuspended(object, rows), withAuthority(caller), transaction)
      transaction.afterCommit(() => noteWrite(objects, BLOCKLIST))
      await deleteFollow(friendship, forth, caller, transaction)
      await deleteFollow(friendship, back, caller, transaction)
      if (back.request?.status === 'pending')
        await setStatus(friendship, back.request.id, 'declined', caller, transaction)
      if (forth.request?.status === 'pending')
        await deleteObject(objects, REQUEST, forth.request.id, null, withAuthority(caller), transaction)
    },
  )
}

/**
 * Removes a user from the block list of another one, and restores the friendship that the block suspended. While the other user
 * blocks as well, the friendship remains suspended by that block.
 */
export async function unblockUser(
  friendship: Friendship,
  userId: string,
  otherId: string,
  caller: Caller,
): Promise<void> {
  const lift = (restores: boolean) =>
    withPair(friendship, userId, otherId, caller.origin?.principal, (transaction, pair) =>
      liftBlock(friendship, pair, restores, caller, transaction),
    )
  await lift(true).catch((error: unknown) => {
    if (!isTaken(error)) throw error
    return lift(false)
  })
}

async function liftBlock(
  friendship: Friendship,
  pair: Pair,
  restores: boolean,
  caller: Caller,
  transaction: Executor,
): Promise<void> {
  const { complete, forth, back } = pair
  if (forth.block === null) return
  const rows = await suspendedBy(friendship, forth.block, transaction)
  await deleteObject(friendship.objects, BLOCKLIST, forth.block, null, withAuthority(caller), transaction)
  if (rows.length === 0 || !complete || !restores) return
  if (back.block === null) await restoreFriendship(friendship, rows, pair, caller, transaction)
  else await suspendUntil(friendship, back.block, rows, transaction)
}

function withSuspended(object: NewObject, suspendedFriendship: readonly JsonObject[]): NewObject {
  if (suspendedFriendship.length === 0) return object
  return { ...object, data: JSON.stringify({ ...JSON.parse(String(object.data)), suspendedFriendship }) }
}
