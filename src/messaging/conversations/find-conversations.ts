import { toApiError } from '../../database/faults.ts'
import { ApiError } from '../../errors.ts'
import { MASTER, masterFor } from '../../objects/access/caller.ts'
import { parseWhereParameter } from '../../objects/query-parameters.ts'
import { findObjects } from '../../objects/reading/find.ts'
import { PLAIN_VIEW } from '../../objects/reading/present.ts'
import { parseOrder } from '../../objects/where/order.ts'
import { allOf, type Ordering, type Where } from '../../objects/where/tree.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { type Json, type JsonObject, member } from '../../values/json.ts'
import { closedTo } from '../admission.ts'
import type { ConversationKind } from '../conversation.ts'
import { kindOf, textsOf } from '../conversations.ts'
import { mayJoinAtWill, mayKnow } from '../members/rights.ts'
import { subscribedSince } from '../members/subscriptions.ts'
import { threadsFor } from '../messages/threads.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'
import { checkClientCondition, checkClientOrder } from '../records/client-condition.ts'
import { CONVERSATION } from '../records/conversation-class.ts'
import { isMember, ofKind, shownTo } from '../records/conversation-conditions.ts'
import { shownRecord, shownTemporary, withLastTime } from './conversation-record.ts'
import { lastMessages, lastTimes } from './last-messages.ts'
import { findTemporary } from './temporary-conversations.ts'

/** A query by a client (protocol/realtime, conv/query). */
export interface ConversationQuery {
  /** A condition as JSON or its text; empty for the normal conversations that the client is a member of. */
  readonly where?: Json | undefined
  /** Keys separated by commas, with a minus for descending. */
  readonly sort?: string | undefined
  readonly skip?: number | undefined
  readonly limit?: number | undefined
  /** Omits the members. */
  readonly compact?: boolean
  readonly lastMessage?: boolean
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1000
/** The default order of a client's own conversations: latest message first. */
const LATEST_FIRST: readonly Ordering[] = [{ path: ['lm'], descending: true }]

/**
 * Finds conversations for a client. It may find conversations of other clients too (protocol/realtime, conv/query), unless
 * conversations are private.
 * @throws MessagingError 4310 when the query takes too long; ApiError 102 and others of `parseWhere`
 */
export async function findConversations(
  messaging: Messaging,
  client: RequestingClient,
  query: ConversationQuery,
): Promise<JsonObject[]> {
  const { clientId, principal } = client
  const schema = messaging.objects.classes.get(CONVERSATION)!
  const given = parseWhereParameter(query.where)
  const where = given && !isEmpty(given) ? given : allOf([isMember(clientId), ofKind('normal')])
  const order = parseOrder(query.sort ?? '')
  if (given) checkClientCondition(schema, given)
  checkClientOrder(schema, order)
  const isOwn = given !== where
  const search = {
    where: isOwn || messaging.settings().openMembership ? where : allOf([where, shownTo(clientId)]),
    order: isOwn && order.length === 0 ? LATEST_FIRST : order,
    skip: query.skip ?? 0,
    limit: pageSize(query.limit),
  }
  return messaging.longPages.listQueued(search.limit, principal, () => list(messaging, client, query, search))
}

/** Reads a page of conversations, as the client may see them. */
async function list(
  messaging: Messaging,
  client: RequestingClient,
  query: ConversationQuery,
  search: Search,
): Promise<JsonObject[]> {
  const stored = await find(messaging, search, client.principal)
  const schema = messaging.objects.classes.get(CONVERSATION)!
  const hidden = [...schema.fields.values()].filter(({ options }) => options.hidden).map(({ name }) => name)
  return show(
    messaging,
    client,
    query,
    stored.map((record) => without(record, hidden)),
  )
}

/** Returns temporary conversations by their ids; omits expired ones, and private ones of other clients. */
export async function findTemporaryConversations(
  messaging: Messaging,
  { clientId, principal }: RequestingClient,
  ids: readonly string[],
  { compact = false, lastMessage = false }: Pick<ConversationQuery, 'compact' | 'lastMessage'> = {},
): Promise<JsonObject[]> {
  const unexpired = await findTemporary(messaging, ids.slice(0, MAX_LIMIT), principal)
  const found = unexpired.filter((conversation) => mayKnow(messaging, conversation, clientId))
  const convIds = found.map(({ id }) => id)
  const readable = lastMessage ? found.filter(({ members }) => members.includes(clientId)) : []
  const [times, messages] = await Promise.all([
    lastTimes(messaging, convIds, principal),
    lastMessages(messaging, new Map(readable.map(({ id }) => [id, [id]])), principal),
  ])
  const now = Date.now()
  return found.map((conversation) => {
    const { id } = conversation
    return shownTemporary(conversation, compact, { lastTime: times.get(id), lastMessage: messages.get(id) }, now)
  })
}

export interface ConversationListing {
  readonly where: Where | null
  readonly skip: number
  readonly limit: number
}

/**
 * Lists conversations for the app's back end: those of one kind, or of all kinds except temporary (protocol/messaging, Messaging
 * over REST).
 * @throws MessagingError 4310
 */
export async function listConversations(
  messaging: Messaging,
  kind: Exclude<ConversationKind, 'temporary'> | null,
  { where, skip, limit }: ConversationListing,
  principal?: Principal,
): Promise<JsonObject[]> {
  const conditions = [...(where ? [where] : []), ...(kind ? [ofKind(kind)] : [])]
  const stored = await find(messaging, { where: allOf(conditions), order: [], skip, limit }, principal)
  const times = await lastTimes(messaging, stored.map(idOf), principal)
  return stored.map((record) => withLastTime(record, times.get(idOf(record))))
}

interface Search {
  readonly where: Where
  readonly order: readonly Ordering[]
  readonly skip: number
  readonly limit: number
}

/**
 * Queries with the master key: this module decides what clients may find, because their SDKs fail under the permissions of the
 * class.
 */
async function find(messaging: Messaging, search: Search, principal: Principal | undefined): Promise<JsonObject[]> {
  try {
    const query = { ...search, count: false, view: PLAIN_VIEW }
    const { results } = await findObjects(
      messaging.objects,
      CONVERSATION,
      query,
      principal ? masterFor(principal) : MASTER,
    )
    return results.map((text) => JSON.parse(text) as JsonObject)
  } catch (error) {
    const fault = toApiError(error)
    if (fault instanceof ApiError && fault.code === 124) throw messagingErrors.queryFailed('The query timed out.')
    throw error
  }
}

async function show(
  messaging: Messaging,
  client: RequestingClient,
  { compact = false, lastMessage = false }: ConversationQuery,
  stored: readonly JsonObject[],
): Promise<JsonObject[]> {
  const { clientId, principal } = client
  const systemIds = stored.filter((record) => kindOf(record) === 'system').map(idOf)
  const readable = lastMessage ? await readableBy(messaging, client, stored) : []
  const threads = readable.map((record) => [idOf(record), threadsFor(kindOf(record), idOf(record), clientId)] as const)
  const [times, messages, subscriptions] = await Promise.all([
    lastTimes(messaging, stored.map(idOf), principal),
    lastMessages(messaging, new Map(threads), principal),
    systemIds.length > 0 ? subscribedSince(messaging, client, systemIds) : new Map<string, number>(),
  ])
  return stored.map((record) => {
    const id = idOf(record)
    return shownRecord(record, clientId, compact, {
      lastTime: times.get(id),
      lastMessage: messages.get(id),
      subscribedSince: subscriptions.get(id),
    })
  })
}

/**
 * Returns the conversations whose last message a client receives: those whose history it may read, and those that it could join
 * without approval (protocol/realtime, conv/query).
 */
async function readableBy(
  messaging: Messaging,
  { clientId, principal }: RequestingClient,
  records: readonly JsonObject[],
): Promise<JsonObject[]> {
  const isOpen = (record: JsonObject) => kindOf(record) !== 'normal' || textsOf(member(record, 'm')).includes(clientId)
  const joinable = mayJoinAtWill(messaging) ? records.filter((record) => !isOpen(record)).map(idOf) : []
  const closed = await closedTo(messaging, clientId, joinable, principal)
  const open = new Set(joinable.filter((convId) => !closed.has(convId)))
  return records.filter((record) => isOpen(record) || open.has(idOf(record)))
}

function idOf(record: JsonObject): string {
  return String(record.objectId)
}

function isEmpty(where: Where): boolean {
  return where.kind === 'and' && where.of.length === 0
}

/** Returns the page size: 10 by default, 0 for no results, at most 1000. */
function pageSize(limit: number | undefined): number {
  if (limit === undefined || limit < 0) return DEFAULT_LIMIT
  return Math.min(limit, MAX_LIMIT)
}

function without(record: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}
