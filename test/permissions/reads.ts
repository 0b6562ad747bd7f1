import { isDeepStrictEqual } from 'node:util'
import type { TestApp } from '../support/app.ts'
import { Refused, type Who } from './model.ts'
import { type Condition, find, kindsOf, type Query, toCql, toJson } from './query.ts'
import type { Random } from './random.ts'
import { reduced, shown } from './shown.ts'
import { note, TAGS, type World } from './world.ts'

/** A difference between the server and the model. */
export class Difference extends Error {}

/** The ways to send a query. */
const WAYS = ['url', 'url', 'batch', 'tunnel', 'cql'] as const
type Way = (typeof WAYS)[number]

export type Answer = Pick<Awaited<ReturnType<TestApp['request']>>, 'status' | 'body'>

function credentials({ app, users }: World, who: Who) {
  const session = who.kind === 'user' ? users.find(({ id }) => id === who.id)!.session : undefined
  return { key: who.kind === 'master' ? `${app.masterKey},master` : app.appKey, session }
}

/** Sends a request as a caller. */
export function ask(world: World, who: Who, method: string, path: string, body?: unknown): Promise<Answer> {
  const { session } = credentials(world, who)
  return world.app.request(method, path, { master: who.kind === 'master', ...(session && { session }), body })
}

/** Sends a GET as a caller, in one of the possible ways. */
async function get(world: World, who: Who, way: Way, path: string, query: Record<string, unknown>): Promise<Answer> {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  const search = texts.length > 0 ? `?${new URLSearchParams(Object.fromEntries(texts))}` : ''
  if (way === 'batch') {
    const requests = [{ method: 'GET', path: `${path}${search}` }]
    const { status, body } = await ask(world, who, 'POST', '/1.1/batch', { requests })
    if (status !== 200) return { status, body }
    const [item] = body
    // A missing object has no response item.
    return item.error
      ? { status: item.error.code === 403 ? 403 : 400, body: item.error }
      : { status: 200, body: item.success ?? {} }
  }
  if (way === 'tunnel') {
    const { key, session } = credentials(world, who)
    const { appId, url } = world.app
    const keys = { _ApplicationId: appId, _ApplicationKey: key, ...(session && { _SessionToken: session }) }
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ _method: 'GET', ...keys, ...query }),
    })
    return { status: response.status, body: await response.json() }
  }
  return ask(world, who, 'GET', path + search)
}

/**
 * Compares one read by a random caller with the model.
 * @throws Difference
 */
export async function randomRead(world: World, random: Random): Promise<void> {
  const who = random.pick(world.callers)
  const kind = random.next()
  if (kind < 0.25) return readOne(world, random, who)
  if (kind < 0.95) return readMany(world, who, randomQuery(world, random), random.pick(WAYS))
  return readAll(world, random, who)
}

const KEYS: readonly (readonly string[])[] = [
  [],
  [],
  ['n'],
  ['secret'],
  ['ref.secret'],
  ['-n'],
  ['tag', 'ref.n'],
  ['owner.diary', 'owner.note', 'tag'],
]
const INCLUDES: readonly (readonly string[])[] = [[], ['ref'], ['refs'], ['ref.ref', 'owner'], ['owner'], ['ref.owner']]

async function readOne(world: World, random: Random, who: Who): Promise<void> {
  const { model } = world
  const className = random.pick([...world.classNames, ...world.classNames, '_User', '_Role'])
  const ids = [...model.classOf(className).objects.keys()]
  const id = random.chance(0.05) || ids.length === 0 ? '0123456789abcdef01234567' : random.pick(ids)
  const [keys, include] = [random.pick(KEYS), random.pick(INCLUDES)]
  const query = {
    ...(keys.length > 0 && { keys: keys.join() }),
    ...(include.length > 0 && { include: include.join() }),
  }
  const way = random.pick(['url', 'batch', 'tunnel'] as const)
  const answer = await get(world, who, way, `/1.1/classes/${className}/${id}`, query)
  const object = model.object({ className, id })
  const isRefused = !model.isOpen(className, 'get', who) || (object && !model.mayRead(object, who))
  note(world, isRefused ? 'get refused' : object ? 'get shown' : 'get missing')
  const wanted = isRefused
    ? { status: 403 }
    : { status: 200, body: object ? shown(model, object, who, keys, include) : {} }
  // A missing user is an error (protocol/storage, Objects).
  if (!isRefused && !object && className === '_User')
    return compare({ status: 400 }, answer.status, undefined, { className, id, who })
  const body = answer.status === 200 ? reduced(model, answer.body, className, who) : undefined
  compare(wanted, answer.status, body, { read: 'get', way, className, id, query, who })
}

async function readMany(world: World, who: Who, query: Query, wish: Way): Promise<void> {
  const { model } = world
  const way = wish === 'cql' && !isCql(query) ? 'url' : wish
  const parameters = {
    ...(query.where && { where: toJson(query.where) }),
    ...(query.order && { order: query.order }),
    ...(query.keys.length > 0 && { keys: query.keys.join() }),
    ...(query.include.length > 0 && { include: query.include.join() }),
    ...(query.count && { count: 1 }),
    ...(query.limit !== null && { limit: query.limit }),
    ...(query.skip > 0 && { skip: query.skip }),
  }
  const answer = await (way === 'cql'
    ? get(world, who, 'url', '/1.1/cloudQuery', { cql: toCql(query) })
    : get(world, who, way, `/1.1/classes/${query.className}`, parameters))
  const context = {
    read: 'find',
    way,
    query: way === 'cql' ? toCql(query) : { class: query.className, ...parameters },
    who,
  }
  let wanted: ReturnType<typeof find>
  try {
    wanted = find(model, query, who)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    note(world, `find by ${way} refused`)
    return compare({ status: 403 }, answer.status, undefined, context)
  }
  note(world, `find by ${way} ${wanted.count > 0 ? 'shown' : 'empty'}`)
  if (wanted.count > 0) for (const kind of kindsOf(query.where)) note(world, `${kind} shown`)
  const results = wanted.ids.map((id) => {
    const object = model.object({ className: query.className, id })!
    return shown(model, object, who, query.keys, query.include)
  })
  const body =
    answer.status === 200
      ? {
          results: answer.body.results.map((one: Record<string, unknown>) => reduced(model, one, query.className, who)),
          count: answer.body.count,
        }
      : answer.body
  compare(
    { status: 200, body: { results, count: query.count ? wanted.count : undefined } },
    answer.status,
    body,
    context,
  )
}

/** Tests a scan, an export and the schemas, which require the master key. */
async function readAll(world: World, random: Random, who: Who): Promise<void> {
  const className = random.pick(world.classNames)
  const isMaster = who.kind === 'master'
  const path = random.pick(
    isMaster ? [`scan/classes/${className}`] : [`scan/classes/${className}`, 'exportData/0', 'schemas'],
  )
  const answer = await get(world, who, random.pick(['url', 'tunnel']), `/1.1/${path}`, {})
  const context = { read: path, who }
  note(world, isMaster ? 'scan shown' : 'scan refused')
  if (!isMaster) return compare({ status: 401 }, answer.status, undefined, context)
  const objects = [...world.model.classOf(className).objects.values()]
  const wanted = objects.sort((a, b) => (a.id < b.id ? -1 : 1)).map((object) => shown(world.model, object, who))
  const body = answer.body.results?.map((one: Record<string, unknown>) => reduced(world.model, one, className, who))
  compare({ status: 200, body: wanted }, answer.status, body, context)
}

export function compare(
  wanted: { readonly status: number; readonly body?: unknown },
  status: number,
  body: unknown,
  context: object,
): void {
  // Undefined members count as missing.
  const plain = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
  const [is, should] = [plain(body), plain(wanted.body)]
  if (status === wanted.status && isDeepStrictEqual(is, should)) return
  const where = status === wanted.status ? whereDifferent(should, is) : `status ${wanted.status}, got ${status}`
  throw new Difference(`${JSON.stringify(context)}\n  wanted ${where}`)
}

/** Returns the first path at which two values differ. */
function whereDifferent(wanted: unknown, got: unknown, path = ''): string {
  if (isDeepStrictEqual(wanted, got)) return ''
  if (isObject(wanted) && isObject(got))
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
      const found = whereDifferent(wanted[key], got[key], `${path}.${key}`)
      if (found) return found
    }
  return `${path} ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function randomQuery(world: World, random: Random): Query {
  const { name } = world
  const className = random.pick([...world.classNames, ...world.classNames, ...world.classNames, '_User', '_Role'])
  const where = random.chance(0.8) ? randomCondition(world, random, className, 0) : null
  const isOrdinary = !className.startsWith('_')
  // Limits a query of a shared class to this world.
  const scope: Condition = { kind: 'compare', field: className === '_User' ? 'nick' : 'scope', how: '=', value: name }
  const scoped: Condition | null = isOrdinary ? where : where ? { kind: 'both', of: [scope, where] } : scope
  return {
    className,
    where: scoped,
    order: isOrdinary && random.chance(0.3) ? random.pick(['n', '-n', 'tag', '-tag', 'secret', '-secret']) : null,
    keys: random.pick(KEYS),
    include: random.pick(INCLUDES),
    count: random.chance(0.4),
    limit: random.chance(0.3) ? random.pick([0, 1, 3, 1000]) : null,
    skip: random.chance(0.2) ? random.below(4) : 0,
  }
}

function randomCondition(world: World, random: Random, className: string, depth: number): Condition {
  const { model, classNames, name } = world
  const kind = random.next()
  if (depth < 2 && kind < 0.1) {
    const of = [
      randomCondition(world, random, className, depth + 1),
      randomCondition(world, random, className, depth + 1),
    ] as const
    return random.chance(0.5) ? { kind: 'both', of } : { kind: 'either', of }
  }
  if (className === '_User') {
    const field = random.pick(['diary', 'note', 'nick', 'nick'])
    return { kind: 'compare', field, how: random.pick(['=', '!=']), value: field === 'nick' ? name : `${field} 0` }
  }
  if (className === '_Role') {
    const role = random.pick([...model.roles.values()])
    if (random.chance(0.5)) return { kind: 'compare', field: 'name', how: '=', value: role.name }
    return random.chance(0.5)
      ? { kind: 'contains', field: 'users', member: { className: '_User', id: random.pick(world.users).id } }
      : { kind: 'relatedTo', owner: { className: '_Role', id: role.id }, key: 'roles' }
  }
  const target = model.classOf(className).relations.rel!
  const anyOf = (name: string, otherwise: string) => random.pick([...model.classOf(name).objects.keys(), otherwise])
  if (depth < 2 && kind < 0.3) {
    const inner = {
      className: target,
      where: random.chance(0.8) ? randomCondition(world, random, target, depth + 1) : null,
    }
    return { kind: 'inQuery', field: 'ref', not: random.chance(0.3), inner }
  }
  if (depth < 2 && kind < 0.45) {
    const from = random.pick(classNames)
    const inner = {
      className: from,
      where: random.chance(0.7) ? randomCondition(world, random, from, depth + 1) : null,
    }
    const [field, key] = random.pick([
      ['tag', 'tag'],
      ['n', 'n'],
      ['tag', 'secret'],
      ['secret', 'tag'],
    ] as const)
    return { kind: 'select', field, key, not: random.chance(0.3), inner }
  }
  // The class with the relation is the previous one.
  if (kind < 0.57) {
    const before = classNames.find((one) => model.classOf(one).relations.rel === className)!
    return { kind: 'relatedTo', owner: { className: before, id: anyOf(before, 'nobody') }, key: 'rel' }
  }
  if (kind < 0.65) return { kind: 'contains', field: 'rel', member: { className: target, id: anyOf(target, 'nobody') } }
  if (kind < 0.75) return { kind: 'points', field: 'ref', to: { className: target, id: anyOf(target, 'nobody') } }
  const field = random.pick(['n', 'n', 'tag', 'secret'])
  const value = field === 'n' ? random.below(4) : random.pick(TAGS)
  return { kind: 'compare', field, how: random.pick(['=', '!=', '>']), value }
}

/** Returns whether CQL can express the query: `select` cannot exclude fields, and inner ones need their class. */
function isCql({ keys, limit, skip }: Query): boolean {
  return keys.every((key) => !key.startsWith('-')) && (limit !== null || skip === 0) && limit !== 0
}
