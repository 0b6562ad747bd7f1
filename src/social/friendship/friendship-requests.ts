import { date, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { noteWrite, type PresentedObject } from '../../objects/store.ts'
import { insertObject, prepareObject } from '../../objects/writing/create.ts'
import { withAuthority } from '../../objects/writing/hooked-writes.ts'
import { updateWithHook } from '../../objects/writing/update.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import { admitAttributes, parseAttributes } from './attributes.ts'
import { actingUser } from './caller-user.ts'
import { checkDifferent } from './follow.ts'
import { changeRow, friend, prepareFollow, type WantedFollow, writeFollow } from './follow-rows.ts'
import { FOLLOWEE, type Friendship, REQUEST, schemaOf, userIn, userPointer } from './friendship.ts'
import { checkNotBlocked, type Pair, type RequestStatus, readPair, type Stand, withPair } from './pair.ts'

/**
 * Sends a friend request (protocol/social, Friend requests). If a request is still pending, it gets the new attributes instead.
 * @param body `user`, the requester, for whom the caller may act; `friend`, the requested user; `friendship`, attributes
 * @returns `objectId` and `createdAt` of the request
 * @throws ApiError 1 when they are friends or the friend has declined, 106, 141, 142, 206, 211, 403, and the errors of attributes
 */
export async function requestFriendship(
  friendship: Friendship,
  body: unknown,
  caller: Caller,
): Promise<PresentedObject> {
  const { objects } = friendship
  const fields = fieldsOf(body)
  const userId = actingUser(fields.user === undefined ? 'self' : userIdIn(fields, 'user'), caller)
  const friendId = userIdIn(fields, 'friend')
  checkDifferent(userId, friendId)
  const attributes = parseAttributes(fields.friendship, "'friendship'")
  checkPermission(REQUEST, schemaOf(friendship, REQUEST).permissions, 'create', caller)
  const there = await readPair(friendship, userId, friendId)
  checkMayRequest(there)
  await admitAttributes(friendship, 'create', attributes, false, caller)
  const wanted = requested(attributes, there.forth)
  const prepared = wanted ? await prepareFollow(friendship, wanted, there.forth, caller) : new Map()
  const row = requestRow(userId, friendId)
  const isNew = there.forth.request === null
  const object = isNew ? await prepareObject(objects, REQUEST, row, withAuthority(caller)) : null
  return withPair(friendship, userId, friendId, caller.origin?.principal, async (transaction, pair) => {
    const { forth } = pair
    checkMayRequest(pair)
    const change = requested(attributes, forth)
    if (change) await writeFollow(friendship, change, prepared, forth, caller, transaction)
    if (forth.request) {
      if (forth.request.status !== 'pending')
        await setStatus(friendship, forth.request.id, 'pending', caller, transaction)
      return identityOf(friendship, forth.request.id, transaction)
    }
    const made = object ?? (await prepareObject(objects, REQUEST, row, withAuthority(caller), { transaction }))
    await insertObject(objects, made, withAuthority(caller), transaction)
    transaction.afterCommit(() => noteWrite(objects, REQUEST))
    return { objectId: made.id, createdAt: made.createdAt }
  })
}

/**
 * Accepts a friend request. A declined request can still be accepted; accepting an accepted one again changes nothing.
 * @param body `{ friendship: attributes }` for the requester in the accepting user's list
 * @returns `objectId` and `updatedAt` of the request
 * @throws ApiError 1 when the request does not exist, 141, 142, 211, 403, and the errors of attributes
 */
export async function acceptRequest(
  friendship: Friendship,
  id: string,
  body: unknown,
  caller: Caller,
): Promise<PresentedObject> {
  const attributes = parseAttributes(fieldsOf(body).friendship, "'friendship'")
  const { userId, friendId } = await addressedRequest(friendship, id, caller)
  const there = await readPair(friendship, friendId, userId)
  checkNotBlocked(there)
  await admitAttributes(friendship, 'create', attributes, false, caller)
  if (there.back.request?.status !== 'accepted') await requestStatus(friendship, id, 'accepted', caller)
  // `attributes` are the accepting user's; those of the requester were stored with the request.
  const wanted = { forth: friend(attributes), back: friend({}) }
  const forth = await prepareFollow(friendship, wanted.forth, there.forth, caller)
  const back = await prepareFollow(friendship, wanted.back, there.back, caller)
  return withPair(friendship, friendId, userId, caller.origin?.principal, async (transaction, pair) => {
    checkNotBlocked(pair)
    const request = stillThere(pair.back, id)
    if (request.status === 'accepted') return identityOf(friendship, id, transaction, 'updatedAt')
    await writeFollow(friendship, wanted.forth, forth, pair.forth, caller, transaction)
    await writeFollow(friendship, wanted.back, back, pair.back, caller, transaction)
    // If both users have sent a request, accepting one accepts both.
    if (pair.forth.request?.status === 'pending')
      await setStatus(friendship, pair.forth.request.id, 'accepted', caller, transaction)
    return setStatus(friendship, id, 'accepted', caller, transaction)
  })
}

/**
 * Declines a request, so that the requester cannot ask again.
 * @returns `objectId` and `updatedAt` of the request
 * @throws ApiError 1 when the request does not exist or has been accepted, 141, 142, 403
 */
export async function declineRequest(friendship: Friendship, id: string, caller: Caller): Promise<PresentedObject> {
  const { userId, friendId } = await addressedRequest(friendship, id, caller)
  await requestStatus(friendship, id, 'declined', caller)
  return withPair(friendship, friendId, userId, caller.origin?.principal, async (transaction, { back }) => {
    const request = stillThere(back, id)
    if (request.status === 'accepted')
      throw errors.badArgument(
        `The request ${id} was accepted and cannot be declined; to end the friendship, unfollow the user.`,
      )
    if (request.status === 'declined') return identityOf(friendship, id, transaction, 'updatedAt')
    return setStatus(friendship, id, 'declined', caller, transaction)
  })
}

/** Checks that a user may send a request. @throws ApiError 1, 211, 403 */
function checkMayRequest(pair: Pair): void {
  const { forth, back } = pair
  checkNotBlocked(pair)
  if (forth.request?.status === 'declined') throw errors.badArgument('Friendship request had previously been declined')
  if (forth.isFriend && back.isFriend) throw errors.badArgument('Friendship already exists.')
}

/** Returns the row for the attributes of a pending request, which are stored in `_Followee` alone; null: there are none. */
function requested(attributes: JsonObject, { isFriend }: Stand): WantedFollow | null {
  if (Object.keys(attributes).length === 0) return null
  return { classes: [FOLLOWEE], attributes, ...(!isFriend && { friendStatus: false }) }
}

/** Returns the fields of a request. Both users can read and write it. */
function requestRow(userId: string, friendId: string): JsonObject {
  const rights = { read: true, write: true }
  return {
    user: userPointer(userId),
    friend: userPointer(friendId),
    status: 'pending',
    ACL: { [userId]: rights, [friendId]: rights },
  }
}

/** Returns a request that was sent to the caller. @throws ApiError 1, 403 */
async function addressedRequest(
  friendship: Friendship,
  id: string,
  caller: Caller,
): Promise<{ userId: string; friendId: string }> {
  const request = await findRequest(friendship, id)
  if (!request) throw errors.objectMissing(id, REQUEST)
  if (!caller.master && caller.userId !== request.friendId) throw errors.writeForbidden(id)
  return request
}

/** Returns the requester and the requested user; null when the request does not exist. */
export async function findRequest(
  friendship: Friendship,
  id: string,
): Promise<{ userId: string; friendId: string } | null> {
  const [row] = await friendship.database.query(sql`
    SELECT ${userIn('user')} AS user_id, ${userIn('friend')} AS friend_id
    FROM ${schemaOf(friendship, REQUEST).table}
    WHERE id = ${id} AND ${userIn('user')} IS NOT NULL AND ${userIn('friend')} IS NOT NULL`)
  return row ? decodeRequest(row) : null
}

function stillThere({ request }: Stand, id: string): { status: RequestStatus } {
  if (request?.id !== id) throw errors.objectMissing(id, REQUEST)
  return request
}

function requestStatus({ objects }: Friendship, id: string, status: RequestStatus, caller: Caller): Promise<void> {
  return updateWithHook(objects, REQUEST, id, { status }, ['status'], withAuthority(caller))
}

export async function setStatus(
  friendship: Friendship,
  id: string,
  status: RequestStatus,
  caller: Caller,
  transaction: Executor,
): Promise<PresentedObject> {
  return (await changeRow(friendship, REQUEST, id, { status }, caller, transaction))!
}

async function identityOf(
  friendship: Friendship,
  id: string,
  transaction: Executor,
  time: 'createdAt' | 'updatedAt' = 'createdAt',
): Promise<PresentedObject> {
  const [row] = await transaction.query(sql`
    SELECT created_at, updated_at FROM ${schemaOf(friendship, REQUEST).table} WHERE id = ${id}`)
  return { objectId: id, [time]: date(time === 'createdAt' ? 'created_at' : 'updated_at')(row!) }
}

function fieldsOf(body: unknown): JsonObject {
  if (body === null || body === undefined) return {}
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  return body
}

/** Parses a pointer to a user. @throws ApiError 106 */
function userIdIn(fields: JsonObject, name: string): string {
  const pointer = fields[name]
  if (isJsonObject(pointer) && (pointer.className ?? '_User') === '_User' && isObjectId(pointer.objectId))
    return pointer.objectId
  throw errors.malformedPointer(
    `'${name}' must be {"__type":"Pointer","className":"_User","objectId":"…"}, a pointer to a user.`,
  )
}

const decodeRequest = rowDecoder({ userId: text('user_id'), friendId: text('friend_id') })
