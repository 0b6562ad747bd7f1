import { createHash } from 'node:crypto'
import { errors } from '../errors.ts'
import type { Where } from '../objects/where/tree.ts'
import { isStorableText } from '../values/json.ts'
import type { Condition } from './condition.ts'

/** A query whose subscriber is notified of the objects that come to meet it, change, or meet it no more. */
export interface LiveQuery {
  readonly id: string
  readonly subscriberId: string
  readonly className: string
  readonly where: Where
  /** The fields that the condition asks for. */
  readonly fields: readonly string[]
  /** How much there is to compare each value of an object with; see `effortOf`. */
  readonly effort: number
  /** The user whose permissions count; null for nobody's. The master key does not (protocol/storage, ACL value). */
  readonly userId: string | null
  /** `returnACL` was asked for. */
  readonly withAcl: boolean
  /**
   * When the session of the user was last shown for it, as a number of `loginNumbers`: only who was logged in by then is
   * told. Null for nobody's queries, which tell what everyone may read.
   */
  readonly proof: number | null
}

/** What makes a live query the one that it is. */
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
 * The id of a live query. The same query has the same id whenever it is subscribed to, even after it has been forgotten:
 * clients subscribe again when they reconnect, and go on with the id that they have (protocol/realtime, Socket
 * commands).
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

/** The id by which a client subscribes, and logs in to be notified. @throws ApiError 1 */
export function checkSubscriberId(id: unknown): string {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH)
    throw errors.badArgument(`'id', the id of the subscriber, must be a text of 1 to ${MAX_ID_LENGTH} characters.`)
  if (!isStorableText(id))
    throw errors.malformedJson("'id' must be Unicode text without NUL characters: it is an id, so nothing is replaced.")
  return id
}
