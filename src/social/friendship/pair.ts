import { rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { join, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { appPrincipal, type Principal } from '../../scheduling/principal.ts'
import {
  BLOCKLIST,
  FOLLOWEE,
  FOLLOWER,
  type Friendship,
  type FriendshipClass,
  OTHER_USER,
  REQUEST,
  schemaOf,
  userIn,
} from './friendship.ts'

/** The stored relation of one user to another. */
export interface Stand {
  readonly userId: string
  readonly otherId: string
  /** Ids of the two rows of a follow. `_Followee` alone: the user has sent a friend request with attributes. */
  readonly followee: string | null
  readonly follower: string | null
  /** `friendStatus` of the `_Followee` row. */
  readonly isFriend: boolean
  readonly request: StoredRequest | null
  /** Id of the row by which the user blocks the other one. */
  readonly block: string | null
}

interface StoredRequest {
  readonly id: string
  readonly status: RequestStatus
}

export type RequestStatus = 'pending' | 'accepted' | 'declined'

/** The relations of two users, seen from one of them. */
export interface Pair {
  /** Whether both users exist. */
  readonly complete: boolean
  readonly forth: Stand
  readonly back: Stand
}

/**
 * Runs work on the relations of two users exclusively: one transaction at a time per pair, over all nodes. On one node, work on
 * the same pair waits before it takes a connection. Neither user can be deleted meanwhile (`lockUser`).
 * @param work gets the current pair
 */
export async function withPair<Result>(
  friendship: Friendship,
  userId: string,
  otherId: string,
  principal: Principal | undefined,
  work: (transaction: Executor, pair: Pair) => Promise<Result>,
): Promise<Result> {
  const [first, second] = [userId, otherId].sort() as [string, string]
  const inTransaction = () =>
    friendship.database.transaction(async (transaction) => {
      await transaction.query(sql`
        SELECT
          pg_advisory_xact_lock_shared(${userKey(friendship, first)}),
          pg_advisory_xact_lock_shared(${userKey(friendship, second)}),
          pg_advisory_xact_lock(${lockKey(`pair ${friendship.appId} ${first} ${second}`)})`)
      return work(transaction, await readPair(friendship, userId, otherId, transaction))
    }, principal)
  return friendship.pairLocks.run(`${first} ${second}`, principal ?? appPrincipal(friendship.appId), inTransaction)
}

/**
 * Waits for running work on the relations of a user and blocks further work until the transaction ends. For the deletion of the
 * user.
 */
export async function lockUser(
  friendship: Pick<Friendship, 'appId'>,
  transaction: Executor,
  userId: string,
): Promise<void> {
  await transaction.query(sql`SELECT pg_advisory_xact_lock(${userKey(friendship, userId)})`)
}

function userKey({ appId }: Pick<Friendship, 'appId'>, userId: string): Sql {
  return lockKey(`user ${appId} ${userId}`)
}

function lockKey(text: string): Sql {
  return sql`hashtextextended(${text}, 0)`
}

/** Reads the relations of two users. */
export async function readPair(
  friendship: Pick<Friendship, 'database' | 'objects'>,
  userId: string,
  otherId: string,
  executor: Executor = friendship.database,
): Promise<Pair> {
  const rowsOf = (className: FriendshipClass, user: string, other: string, owner = user) => sql`
    SELECT ${className} AS kind, ${owner} AS owner, id, data->>'friendStatus' AS friend, data->>'status' AS status
    FROM ${schemaOf(friendship, className).table}
    WHERE ${userIn('user')} = ${user} AND ${userIn(OTHER_USER[className])} = ${other}`
  const standing = (user: string, other: string) => [
    rowsOf(FOLLOWEE, user, other),
    rowsOf(FOLLOWER, other, user, user),
    rowsOf(REQUEST, user, other),
    rowsOf(BLOCKLIST, user, other),
  ]
  const users = sql`
    SELECT '_User', id, id, NULL, NULL
    FROM ${schemaOf(friendship, '_User').table}
    WHERE id = ANY(${[userId, otherId]}::text[])`
  const found = await executor.query(
    join([...standing(userId, otherId), ...standing(otherId, userId), users], ' UNION ALL '),
  )
  const rows = found.map(decodePart)
  const stand = (user: string, other: string): Stand => {
    const row = (kind: string) => rows.find((row) => row.kind === kind && row.owner === user)
    const id = (kind: string) => row(kind)?.id ?? null
    const request = row(REQUEST)
    return {
      userId: user,
      otherId: other,
      followee: id(FOLLOWEE),
      follower: id(FOLLOWER),
      isFriend: row(FOLLOWEE)?.friend === 'true',
      request: request ? { id: request.id, status: request.status as RequestStatus } : null,
      block: id(BLOCKLIST),
    }
  }
  return {
    complete: rows.filter(({ kind }) => kind === '_User').length === 2,
    forth: stand(userId, otherId),
    back: stand(otherId, userId),
  }
}

const decodePart = rowDecoder({
  kind: text('kind'),
  owner: text('owner'),
  id: text('id'),
  friend: text.orNull('friend'),
  status: text.orNull('status'),
})

/** Checks that two users may interact. @throws ApiError 211 when a user does not exist, 403 when one blocks the other */
export function checkNotBlocked({ complete, forth, back }: Pair): void {
  if (!complete) throw errors.userNotFound()
  if (forth.block !== null)
    throw errors.forbidden(`You have blocked the user ${forth.otherId}; unblock the user first.`)
  if (back.block !== null) throw errors.forbidden(`The user ${forth.otherId} has blocked you.`)
}
