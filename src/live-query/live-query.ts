import { createHash } from 'node:crypto'
import { errors } from '../errors.ts'
import type { Where } from '../objects/where/tree.ts'
import { isStorableText } from '../values/json.ts'
import type { Condition } from './condition.ts'

/** A query whose subscriber is notified when objects begin to match it, change, or stop matching. */
export interface LiveQuery {
  readonly id: string
  readonly subscriberId: string
  readonly className: string
  readonly where: Where
  /** The fields that the condition uses. */
  readonly fields: readonly string[]
  /** The cost of comparing each value of an object; see `effortOf`. */
  readonly effort: number
  /** The user whose permissions apply; null for anonymous. The master key is not used (protocol/storage, ACL value). */
  readonly userId: string | null
  /** Whether `returnACL` was requested. */
  readonly withAcl: boolean
  /**
   * When the session of the user was last proven for it, as a number of `loginNumbers`: only subscribers that were logged in by
   * then are notified. Null for anonymous queries, which return what everyone may read.
   */
  readonly proof: number | null
}

/** The members that identify a live query. */
export interface QueryIdentity {
  readonly subscriberId: string
  readonly className: string
  /** The condition as canonical JSON text. */
  readonly condition: string
  readonly userId: string | null
  readonly withAcl: boolean
}

const ID_LENGTH = 32

/**
 * Returns the id of a live query. The same query has the same id whenever it is subscribed to, even after it was deleted: clients
 * subscribe again when they reconnect, and keep using their id (protocol/realtime, Socket commands).
 */
export function queryIdOf({ subscriberId, className, condition, userId, withAcl }: QueryIdentity): string {
  const identity = JSON.stringify([subscriberId, className, condition, userId, withAcl])
  return createHash('sha256').update(identity).digest('hex').slice(0, ID_LENGTH)
}

export function liveQuery(
  identity: QueryIdentity,
  { where, fields, effort }: Condition,
  proof: number | null = null,
): LiveQuery {
  const { subscriberId, className, userId, withAcl } = identity
  return { id: queryIdOf(identity), subscriberId, className, where, fields, effort, userId, withAcl, proof }
}

const MAX_ID_LENGTH = 128

/** Checks the id by which a client subscribes, and logs in for notifications. @throws ApiError 1 */
export function checkSubscriberId(id: unknown): string {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH)
    throw errors.badArgument(`'id', the id of the subscriber, must be a string of 1 to ${MAX_ID_LENGTH} characters.`)
  if (!isStorableText(id))
    throw errors.malformedJson("'id' must be Unicode text without NUL characters: it is an id, so nothing is replaced.")
  return id
}
