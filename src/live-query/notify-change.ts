import { randomUUID } from 'node:crypto'
import { text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { ANONYMOUS, type Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { presentRows } from '../objects/reading/present.ts'
import type { Written } from '../objects/statements/watch.ts'
import { readRule } from '../objects/store.ts'
import { matches } from '../objects/where/matches.ts'
import { findMatches, type Match, type State, stateOf } from './find-matches.ts'
import type { Concerned, LiveEvent, Operation } from './live-event.ts'
import type { LiveQueries } from './live-queries.ts'
import type { LiveQuery } from './live-query.ts'
import { callersOf, mayQuery, mayRead, type Readers, readersOf } from './permission.ts'

/** The notification of a query, before the payload is made. */
interface Notice {
  readonly match: Match
  readonly op: Operation
  /** Whether the payload has only the id of the object, because the user may no longer read it. */
  readonly bare: boolean
}

/** Notifies the subscribers whose queries a write affects (protocol/realtime, HTTP). */
export async function notifyWrite(live: LiveQueries, { schema, before, after, updatedKeys }: Written): Promise<void> {
  const index = live.known.classes.get(schema.name)
  if (!index) return
  const [was, is] = [before && stateOf(before), after && stateOf(after)]
  const found = await findMatches(index, was, is)
  await notifyMatches(live, schema, found, was, is, updatedKeys, operationOf)
}

/** Notifies subscribers of users of a login. */
export async function notifyLogin(live: LiveQueries, schema: ClassSchema, user: Row): Promise<void> {
  const index = live.known.classes.get(schema.name)
  if (!index) return
  const is = stateOf(user)
  const found = await findMatches(index, null, is)
  await notifyMatches(live, schema, found, null, is, [], (_, is) => (is ? 'login' : null))
}

/**
 * Returns the operation for a query that matched the object before or matches it now; null for none. A user that gains or loses
 * read permission gets enter or leave.
 */
function operationOf(was: boolean, is: boolean, isNew: boolean, isDeleted: boolean): Operation | null {
  if (isNew) return is ? 'create' : null
  if (isDeleted) return was ? 'delete' : null
  if (was && is) return 'update'
  if (is) return 'enter'
  return was ? 'leave' : null
}

async function notifyMatches(
  live: LiveQueries,
  schema: ClassSchema,
  concerned: readonly Match[],
  was: State | null,
  is: State | null,
  updatedKeys: readonly string[],
  nameOf: typeof operationOf,
): Promise<void> {
  const found = await current(live, concerned)
  if (found.length === 0) return
  const [readersBefore, readersAfter] = [was && aclReaders(was.row), is && aclReaders(is.row)]
  const queries = found.map(({ query }) => query)
  const callers = await callersOf(live, queries, schema, [readersBefore, readersAfter])
  const notices: Notice[] = []
  for (const match of found) {
    const caller = callers.get(match.query.userId)!
    if (!mayQuery(schema, match.query.fields, caller)) continue
    const rule = readRule(live.objects, schema.name, caller)
    const isOpenTo = (state: State, readers: Readers) =>
      mayRead(readers, caller) && (!rule || matches(rule, state.object))
    const couldRead = was !== null && isOpenTo(was, readersBefore)
    const canRead = is !== null && isOpenTo(is, readersAfter)
    const op = nameOf(match.before && couldRead, match.after && canRead, was === null, is === null)
    if (op !== null) notices.push({ match, op, bare: is !== null && !canRead })
  }
  await groupByPayload(live, schema, notices, (is ?? was)!.row, updatedKeys)
}

/** Omits queries whose session may have ended on another node without this node learning of it. */
async function current(live: LiveQueries, found: readonly Match[]): Promise<readonly Match[]> {
  if (live.changes.isCurrent) return found
  const confirmed = await live.table.confirm(found.map(({ query }) => query).filter(({ userId }) => userId !== null))
  return found.filter(({ query }) => query.userId === null || confirmed.has(query))
}

function aclReaders(row: Row): Readers {
  return readersOf(text.orNull('acl')(row))
}

/** Notifies all receivers of the same payload together: it is made once, and shared. */
async function groupByPayload(
  live: LiveQueries,
  schema: ClassSchema,
  notices: readonly Notice[],
  row: Row,
  updatedKeys: readonly string[],
): Promise<void> {
  const groups = new Map<string, { readonly first: Notice; readonly audience: Map<string, Concerned[]> }>()
  for (const notice of notices) {
    const { query } = notice.match
    const payload = `${notice.op} ${notice.bare} ${query.withAcl} ${isSelf(schema, row, query)}`
    const group = groups.get(payload) ?? { first: notice, audience: new Map<string, Concerned[]>() }
    groups.set(payload, group)
    const { id, proof } = query
    const concerned = group.audience.get(query.subscriberId)
    if (concerned) concerned.push({ id, proof })
    else group.audience.set(query.subscriberId, [{ id, proof }])
  }
  for (const { first, audience } of groups.values())
    live.online.notify(await eventOf(live, schema, first, row, updatedKeys), audience)
}

const WITH_KEYS: ReadonlySet<Operation> = new Set(['update', 'enter', 'leave'])

async function eventOf(
  live: LiveQueries,
  schema: ClassSchema,
  { match, op, bare }: Notice,
  row: Row,
  updatedKeys: readonly string[],
): Promise<LiveEvent> {
  const keys = bare ? ['ACL'] : updatedKeys.filter((name) => isOpen(schema, name))
  const object = bare
    ? JSON.stringify({ objectId: row.id, className: schema.name })
    : await objectText(live, schema, row, match.query)
  return { id: randomUUID(), op, object, updatedKeys: WITH_KEYS.has(op) ? keys : null }
}

function isOpen(schema: ClassSchema, field: string): boolean {
  return !schema.fields.get(field)?.options.hidden && !schema.privateFields.includes(field)
}

/** Returns whether the object is the user of the query, which sees more of itself than others do. */
function isSelf({ privateFields }: ClassSchema, row: Row, { userId }: LiveQuery): boolean {
  return privateFields.length > 0 && userId === row.id
}

/**
 * Returns the object in the format of queries. Only files that everyone may read are expanded, so that the text is the same for
 * all.
 */
async function objectText(live: LiveQueries, schema: ClassSchema, row: Row, query: LiveQuery): Promise<string> {
  const { userId, withAcl: acl } = query
  const caller: Caller = isSelf(schema, row, query) ? { master: false, userId, grants: [userId!] } : ANONYMOUS
  const [text] = await presentRows(live.objects, schema, [row], { selection: null, include: null, acl }, caller)
  return `${text!.slice(0, -1)},"className":${JSON.stringify(schema.name)}}`
}
