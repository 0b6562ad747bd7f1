import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isSet } from '../objects/query-parameters.ts'
import { isJsonObject } from '../values/json.ts'
import { checkClassName } from '../values/names.ts'
import { canonicalCondition, parseCondition } from './condition.ts'
import type { LiveQueries } from './live-queries.ts'
import { checkSubscriberId, type QueryIdentity, queryIdOf } from './live-query.ts'
import { checkMayAsk } from './permission.ts'

/** How many live queries an app may have; every node holds them in memory. */
const MAX_OF_APP = 100_000

/**
 * Subscribes to a query (protocol/realtime, HTTP). `keys`, `order`, `limit` and the like are ignored: whole objects
 * are told, one at a time. The class need not exist yet.
 * @param body `query`: { `className`, `where`, `returnACL` }, `id`: that of the subscriber
 * @param caller its permissions count, but not the master key (protocol/storage, ACL value)
 * @param session the token by which a user has shown who it is; the query ends with it
 * @returns the id of the query: the same for the same subscriber, class, condition and user (protocol/realtime, Socket
 * commands)
 * @throws ApiError 1, 102, 103, 107, 154, 211, 403
 */
export async function subscribe(
  live: LiveQueries,
  body: unknown,
  { userId, grants }: Caller,
  session = '',
): Promise<string> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const { id, query } = body
  const subscriberId = checkSubscriberId(id)
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
  const proof = userId === null ? null : { session, number: await live.nextNumber() }
  await live.table.save(identity, live.now(), proof, live.objects.limits.subscriptionsOfClient)
  await live.news.changed(subscriberId)
  await live.subscribed(subscriberId)
  return queryId
}

/**
 * Ends a subscription; one that does not exist has ended already.
 * @param body `id`: that of the subscriber, `query_id`
 * @throws ApiError 1, 107
 */
export async function unsubscribe(live: LiveQueries, body: unknown): Promise<void> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const subscriberId = checkSubscriberId(body.id)
  const queryId = body.query_id
  if (typeof queryId !== 'string') throw errors.badArgument("'query_id' must be the text that subscribing answered.")
  // No query has such an id; the database would refuse to look for it.
  if (!/^[0-9a-f]{1,64}$/.test(queryId)) return
  await live.table.remove(subscriberId, queryId)
  await live.news.changed(subscriberId)
}
