import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { noteWrite } from '../../objects/store.ts'
import { insertObject, prepareObject } from '../../objects/writing/create.ts'
import { deleteObject } from '../../objects/writing/delete.ts'
import { withAuthority } from '../../objects/writing/hooked-writes.ts'
import { checkDifferent } from './follow.ts'
import { deleteFollow } from './follow-rows.ts'
import { BLOCKLIST, type Friendship, REQUEST, userPointer } from './friendship.ts'
import { setStatus } from './friendship-requests.ts'
import { readPair, withPair } from './pair.ts'

/**
 * Lets a user hear nothing of another any more: follows and friendships in both directions end, requests of the other are
 * declined, those of the user taken back (protocol/social, Block list). It says nothing to the other one.
 * @param userId for whom the caller may act
 * @throws ApiError 1 where the two are one, 141, 142, 211
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
  await withPair(friendship, userId, otherId, caller.origin?.party, async (transaction, { complete, forth, back }) => {
    if (!complete) throw errors.userNotFound()
    if (forth.block !== null) return
    await insertObject(objects, object, withAuthority(caller), transaction)
    transaction.afterCommit(() => noteWrite(objects, BLOCKLIST))
    await deleteFollow(friendship, forth, caller, transaction)
    await deleteFollow(friendship, back, caller, transaction)
    if (back.request?.status === 'pending')
      await setStatus(friendship, back.request.id, 'declined', caller, transaction)
    if (forth.request?.status === 'pending')
      await deleteObject(objects, REQUEST, forth.request.id, null, withAuthority(caller), transaction)
  })
}

/** Takes a user off the block list of another; what was before it does not come back. */
export async function unblockUser(
  friendship: Friendship,
  userId: string,
  otherId: string,
  caller: Caller,
): Promise<void> {
  await withPair(friendship, userId, otherId, caller.origin?.party, async (transaction, { forth }) => {
    if (forth.block !== null)
      await deleteObject(friendship.objects, BLOCKLIST, forth.block, null, withAuthority(caller), transaction)
  })
}
