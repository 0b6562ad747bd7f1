import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isSet } from '../objects/query-parameters.ts'
import { isJsonObject } from '../values/json.ts'
import { checkClassName } from '../values/names.ts'
import { canonicalCondition, parseCondition } from './condition.ts'
import type { LiveQueries } from './live-queries.ts'
import { checkSubscriberId, type QueryIdentity, queryIdOf } from './live-query.ts'
import { checkMayAsk } from './permission.ts'
import { isMadeByServer, isMadeFor, makeSubscriberId } from './subscriber-ids.ts'

/** How many live queries an app may have; every node holds them in memory. */
const MAX_OF_APP = 100_000

/** A subscription as the client is to know it. */
export interface Subscription {
  /** The id of the subscriber, by which it logs in. */
  readonly id: string
  /** The same for the same subscriber, class, condition and user (protocol/realtime, Socket commands). */
  readonly queryId: string
}

/**
 * Subscribes to a query (protocol/realtime, HTTP). `keys`, `order`, `limit` and the like are ignored: whole objects
 * are told, one at a time. The class need not exist yet.
 * @param body `query`: { `className`, `where`, `returnACL` }, `id`: that of the subscriber, made here when it is absent
 * @param caller its permissions count, but not the master key (protocol/storage, ACL value)
 * @param session the token by which a user has shown who it is; the query ends with it
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
  if (schema) checkMayAsk(schema, fields, { master: false, userId, grants })
  const identity: QueryIdentity = { subscriberId, className, condition, userId, withAcl: isSet(query.returnACL) }
  const queryId = queryIdOf(identity)
  if (live.known.size >= MAX_OF_APP && !live.known.ofSubscriber(subscriberId).has(queryId))
    throw errors.thresholdExceeded(`An app may have ${MAX_OF_APP} live queries.`)
  const proof = userId === null ? null : { session, number: await proofNumber(live, subscriberId) }
  await live.table.save(identity, live.now(), proof, live.objects.limits.subscriptionsOfClient)
  await live.news.changed(subscriberId)
  await live.subscribed(subscriberId)
  return { id: subscriberId, queryId }
}

/**
 * The id that the client sent; a new one when it sent none, or one that the server made for another user. Clients keep
 * the id they are given, so on a shared device a user would go on under an id that the user before still knows.
 */
function subscriberIdOf(live: LiveQueries, sent: unknown, userId: string | null): string {
  if (sent === undefined || sent === null) return makeSubscriberId(live, userId)
  const id = checkSubscriberId(sent)
  const isOfAnother = userId !== null && isMadeByServer(id) && !isMadeFor(live, id, userId)
  return isOfAnother ? makeSubscriberId(live, userId) : id
}

/**
 * When the session was shown, as a number of `loginNumbers`. A subscriber whose id the server made is notified however
 * late it logs in: it learns its id by subscribing, and no other client knows it.
 */
async function proofNumber(live: LiveQueries, subscriberId: string): Promise<number> {
  return isMadeByServer(subscriberId) ? Number.MAX_SAFE_INTEGER : live.nextNumber()
}

/**
 * Ends a subscription; one that does not exist has ended already.
 * @param body `id`: that of the subscriber, `query_id`
 * @throws ApiError 1, 107
 */
export async function unsubscribe(live: LiveQueries, body: unknown): Promise<void> {
  const { subscriberId, queryId } = subscriptionOf(body)
  if (!isQueryId(queryId)) return
  await live.table.remove(subscriberId, queryId)
  await live.news.changed(subscriberId)
}

/**
 * Renews a subscription: its subscriber was seen now. Clients ping that keep no connection open.
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
  if (typeof queryId !== 'string') throw errors.badArgument("'query_id' must be the text that subscribing answered.")
  return { subscriberId, queryId }
}

/** No query has another id; the database would refuse to look for some. */
function isQueryId(text: string): boolean {
  return /^[0-9a-f]{1,64}$/.test(text)
}
