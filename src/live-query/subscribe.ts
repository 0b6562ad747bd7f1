import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isSet } from '../objects/query-parameters.ts'
import { isJsonObject } from '../values/json.ts'
import { checkClassName } from '../values/names.ts'
import { canonicalCondition, parseCondition } from './condition.ts'
import type { LiveQueries } from './live-queries.ts'
import { checkSubscriberId, type QueryIdentity, queryIdOf } from './live-query.ts'
import { checkMayQuery } from './permission.ts'
import { isMadeByServer, isMadeFor, makeSubscriberId } from './subscriber-ids.ts'

/** Maximum number of live queries of an app; every node holds them in memory. */
const MAX_OF_APP = 100_000

/** A subscription as returned to the client. */
export interface Subscription {
  /** The id of the subscriber, by which it logs in. */
  readonly id: string
  /** The same for the same subscriber, class, condition and user (protocol/realtime, Socket commands). */
  readonly queryId: string
}

/**
 * Subscribes to a query (protocol/realtime, HTTP). `keys`, `order`, `limit` and similar options are ignored: events contain one
 * whole object. The class need not exist yet.
 * @param body `query`: { `className`, `where`, `returnACL` }, `id`: that of the subscriber, made here when it is absent
 * @param caller its permissions apply, but not the master key (protocol/storage, ACL value)
 * @param session the session token of the user; the query ends with it
 * @throws ApiError 1, 102, 103, 107, 154, 211, 403
 */
export async function subscribe(
  live: LiveQueries,
  body: unknown,
  { userId, grants }: Caller,
  session = '',
): Promise<Subscription> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const { query } = body
  const subscriberId = subscriberIdOf(live, body.id, userId)
  if (!isJsonObject(query)) throw errors.malformedJson("'query' must be a JSON object with 'className' and 'where'.")
  const className = checkClassName(query.className)
  const condition = canonicalCondition(query.where)
  const { fields } = parseCondition(condition)
  const schema = await live.objects.classes.lookUp(className)
  if (schema) checkMayQuery(schema, fields, { master: false, userId, grants })
  const identity: QueryIdentity = { subscriberId, className, condition, userId, withAcl: isSet(query.returnACL) }
  const queryId = queryIdOf(identity)
  if (live.known.size >= MAX_OF_APP && !live.known.ofSubscriber(subscriberId).has(queryId))
    throw errors.thresholdExceeded(`The app has reached its maximum of ${MAX_OF_APP} live queries.`)
  const proof = userId === null ? null : { session, number: await proofNumber(live, subscriberId) }
  await live.table.save(identity, live.now(), proof, live.objects.limits.subscriptionsOfClient)
  await live.changes.changed(subscriberId)
  await live.subscribed(subscriberId)
  return { id: subscriberId, queryId }
}

/**
 * Returns the id that the client sent; a new one if it sent none, or one that the server made for another user. Clients keep
 * their id, so on a shared device a user would otherwise use an id that the previous user still knows.
 */
function subscriberIdOf(live: LiveQueries, sent: unknown, userId: string | null): string {
  if (sent === undefined || sent === null) return makeSubscriberId(live, userId)
  const id = checkSubscriberId(sent)
  const isOfAnother = userId !== null && isMadeByServer(id) && !isMadeFor(live, id, userId)
  return isOfAnother ? makeSubscriberId(live, userId) : id
}

/**
 * Returns when the session was proven, as a number of `loginNumbers`. A subscriber with an id from the server is notified however
 * late it logs in: it gets its id by subscribing, and no other client knows it.
 */
async function proofNumber(live: LiveQueries, subscriberId: string): Promise<number> {
  return isMadeByServer(subscriberId) ? Number.MAX_SAFE_INTEGER : live.nextNumber()
}

/**
 * Ends a subscription; succeeds if it does not exist.
 * @param body `id`: that of the subscriber, `query_id`
 * @throws ApiError 1, 107
 */
export async function unsubscribe(live: LiveQueries, body: unknown): Promise<void> {
  const { subscriberId, queryId } = subscriptionOf(body)
  if (!isQueryId(queryId)) return
  await live.table.remove(subscriberId, queryId)
  await live.changes.changed(subscriberId)
}

/**
 * Renews a subscription. Clients without an open connection call it periodically.
 * @param body as for `unsubscribe`
 * @returns false when the subscription has ended
 * @throws ApiError 1, 107
 */
export async function renew(live: LiveQueries, body: unknown): Promise<boolean> {
  const { subscriberId, queryId } = subscriptionOf(body)
  return isQueryId(queryId) && live.table.renewSubscription(subscriberId, queryId, live.now())
}

function subscriptionOf(body: unknown): { readonly subscriberId: string; readonly queryId: string } {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const subscriberId = checkSubscriberId(body.id)
  const queryId = body.query_id
  if (typeof queryId !== 'string') throw errors.badArgument("'query_id' must be the string returned when subscribing.")
  return { subscriberId, queryId }
}

/** Returns whether a text may be the id of a query. The database would reject some other texts. */
function isQueryId(text: string): boolean {
  return /^[0-9a-f]{1,64}$/.test(text)
}
