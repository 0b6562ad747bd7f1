import type { ModelObject, Operation, Reference, Value, Who } from './model.ts'
import { Refused } from './model.ts'
import { type Condition, checkMayAsk, conditionCql, meets, toJson } from './query.ts'
import type { Random } from './random.ts'
import { type Answer, ask, compare } from './reads.ts'
import { reduced, shown } from './shown.ts'
import { addObject, note, randomAcl, TAGS, type World } from './world.ts'

/** The effect of a write on an object. */
export interface Written {
  readonly before: ModelObject | null
  readonly after: ModelObject | null
}

const MISSING = '0123456789abcdef01234567'
/** The minimum number of objects for a useful class. */
const FEW = 4

type Way = 'url' | 'batch' | 'cql'

const pointer = ({ className, id }: Reference) => ({ __type: 'Pointer', className, objectId: id })

/**
 * Performs one write by a random caller, compares it with the model, and updates the model.
 * @throws Difference
 */
export async function randomWrite(world: World, random: Random): Promise<Written | null> {
  const who = random.pick(world.callers)
  const kind = random.next()
  if (kind < 0.2) return create(world, random, who)
  if (kind < 0.35) return remove(world, random, who)
  if (kind < 0.45) return relate(world, random, who)
  return update(world, random, who)
}

async function send(world: World, who: Who, way: Way, method: string, path: string, body: object, cql: string) {
  if (way === 'cql') {
    const answer = await ask(world, who, 'GET', `/1.1/cloudQuery?${new URLSearchParams({ cql })}`)
    return { status: answer.status, body: answer.body.results?.[0] ?? answer.body }
  }
  if (way === 'url') return ask(world, who, method, path, body)
  const { body: items } = await ask(world, who, 'POST', '/1.1/batch', { requests: [{ method, path, body }] })
  const [item] = items
  if (!item.error) return { status: 200, body: item.success }
  return { status: item.error.code === 403 ? 403 : 400, body: item.error }
}

const randomWay = (random: Random): Way => random.pick(['url', 'url', 'batch', 'cql'])

async function create(world: World, random: Random, who: Who): Promise<Written | null> {
  const { model } = world
  const className = random.pick(world.classNames)
  const { relations } = model.classOf(className)
  const ref = { className: relations.rel!, id: random.pick([...model.classOf(relations.rel!).objects.keys()]) }
  const fields: Record<string, Value> = {
    n: random.below(4),
    tag: random.pick(TAGS),
    secret: random.pick(TAGS),
    ref,
    refs: [],
    owner: { className: '_User', id: random.pick(world.users).id },
  }
  const way = randomWay(random)
  const acl = way !== 'cql' && random.chance(0.5) ? randomAcl(random, world) : null
  const isNewField = way !== 'cql' && random.chance(0.1)
  const fetch = way === 'url' && random.chance(0.3)
  const { n, tag, secret, owner } = fields
  const body = {
    ...{ n, tag, secret, refs: [], ref: pointer(ref), owner: pointer(owner as Reference) },
    ...(acl && { ACL: acl }),
    ...(isNewField && { [`extra${random.below(1e9)}`]: 1 }),
  }
  const literals = [`${n}`, `'${tag}'`, `'${secret}'`, '[]', pointerCql(ref), pointerCql(owner as Reference)]
  const cql = `insert into ${className}(n, tag, secret, refs, ref, owner) values(${literals.join(', ')})`
  const path = `/1.1/classes/${className}${fetch ? '?fetchWhenSave=true' : ''}`
  const answer = await send(world, who, way, 'POST', path, body, cql)
  const isAllowed = model.isOpen(className, 'create', who) && (!isNewField || model.isOpen(className, 'addField', who))
  const status = isAllowed ? (way === 'url' ? 201 : 200) : 403
  note(world, `create ${isAllowed ? 'done' : 'refused'}`)
  compare({ status }, answer.status, undefined, { write: 'create', way, className, body, who, answer: answer.body })
  if (!isAllowed) return null
  const object: ModelObject = {
    id: answer.body.objectId,
    className,
    acl: acl ?? model.aclOfNew(className, who),
    fields,
    relations: { rel: new Set() },
  }
  addObject(world, object)
  if (fetch) {
    const wanted = shown(model, object, who)
    compare({ status: 0, body: wanted }, 0, reduced(model, answer.body, className, who), {
      write: 'create',
      fetch,
      who,
    })
  }
  return { before: null, after: copyOf(object) }
}

const pointerCql = ({ className, id }: Reference) => `pointer('${className}', '${id}')`

/** Returns a copy, unaffected by later changes. */
function copyOf(object: ModelObject): ModelObject {
  return { ...object, fields: { ...object.fields }, relations: copied(object.relations) }
}

function copied(relations: ModelObject['relations']): ModelObject['relations'] {
  return Object.fromEntries(Object.entries(relations).map(([name, members]) => [name, new Set(members)]))
}

async function update(world: World, random: Random, who: Who): Promise<Written | null> {
  const { model } = world
  const className = random.pick([...world.classNames, ...world.classNames, '_User'])
  const id = random.chance(0.05) ? MISSING : random.pick([...model.classOf(className).objects.keys()])
  const isUser = className === '_User'
  const where = isUser ? null : randomWhere(world, random, className)
  const way = isUser ? 'url' : randomWay(random)
  const fetch = way === 'url' && random.chance(0.4)
  const object = model.object({ className, id })
  const changes = isUser ? { diary: `${random.below(9)}` } : random.pick(changesOf(random))
  const acl = way !== 'cql' && !isUser && random.chance(0.2) ? (randomAcl(random, world) ?? {}) : undefined
  const parameters = { ...(where && { where: JSON.stringify(toJson(where)) }), ...(fetch && { fetchWhenSave: 'true' }) }
  const search = Object.keys(parameters).length > 0 ? `?${new URLSearchParams(parameters)}` : ''
  const path = `/1.1/classes/${className}/${id}${search}`
  const sets = Object.entries(changes).map(([name, value]) => `${name} = ${cqlOf(value)}`)
  const condition = where ? ` and ${conditionCql(where)}` : ''
  const cql = `update ${className} set ${sets.join(', ')} where objectId = '${id}'${condition}`
  const body = { ...changes, ...(acl && { ACL: acl }) }
  const answer = await send(world, who, way, 'PUT', path, body, cql)
  const status = statusOf(world, 'update', { className, id }, where, who)
  note(world, `update${where ? ' on condition' : ''} ${status}`)
  const context = { write: 'update', way, path, body, cql, who, answer: answer.body }
  compare({ status }, answer.status, undefined, context)
  checkCode(status, where !== null && (!object || model.mayWrite(object, who)), answer, context, isUser)
  if (status !== 200) return null
  const before = copyOf(object!)
  apply(object!, changes)
  if (acl) object!.acl = acl
  if (fetch) checkFetched(world, object!, Object.keys(changes), who, answer.body, context)
  return { before, after: copyOf(object!) }
}

type Changes = Readonly<Record<string, string | number | { readonly __op: 'Increment'; readonly amount: number }>>

function changesOf(random: Random): Changes[] {
  return [
    { n: random.below(4) },
    { n: { __op: 'Increment', amount: 1 } },
    { tag: random.pick(TAGS), secret: random.pick(TAGS) },
    { secret: random.pick(TAGS) },
  ]
}

function cqlOf(value: Changes[string]): string {
  if (typeof value === 'object') return `op('Increment', {amount: ${value.amount}})`
  return typeof value === 'number' ? `${value}` : `'${value}'`
}

function apply(object: ModelObject, changes: Changes): void {
  for (const [name, value] of Object.entries(changes))
    object.fields[name] = typeof value === 'object' ? (object.fields[name] as number) + value.amount : value
}

/** Checks that a caller without read access gets no field of the object. */
function checkFetched(
  world: World,
  object: ModelObject,
  changed: string[],
  who: Who,
  body: object,
  context: object,
): void {
  const { model } = world
  const { className } = object
  const mayRead = model.isOpen(className, 'get', who) && model.mayRead(object, who)
  note(world, `fetch ${mayRead ? 'shown' : 'refused'}`)
  const wanted = mayRead ? shown(model, object, who, changed) : { objectId: object.id }
  compare({ status: 0, body: wanted }, 0, reduced(model, body as Record<string, unknown>, className, who), context)
}

function randomWhere(world: World, random: Random, className: string): Condition | null {
  if (random.chance(0.6)) return null
  const { model } = world
  const target = model.classOf(className).relations.rel!
  return random.pick<() => Condition>([
    () => ({ kind: 'compare', field: 'n', how: random.pick(['=', '!=']), value: random.below(4) }),
    () => ({ kind: 'compare', field: 'secret', how: '=', value: random.pick(TAGS) }),
    () => ({
      kind: 'inQuery',
      field: 'ref',
      not: random.chance(0.3),
      inner: { className: target, where: { kind: 'compare', field: 'tag', how: '=', value: random.pick(TAGS) } },
    }),
  ])()
}

/** Returns the expected status: 400 for a missing object or a false condition. */
function statusOf(world: World, operation: Operation, at: Reference, where: Condition | null, who: Who): number {
  const { model } = world
  const object = model.object(at)
  // A user updates itself regardless of the class permission (protocol/storage, Class permissions).
  const isOwnProfile = operation === 'update' && at.className === '_User' && who.kind === 'user' && who.id === at.id
  if (!isOwnProfile && !model.isOpen(at.className, operation, who)) return 403
  if (at.className === '_User' && who.kind !== 'master' && who.id !== at.id) return 403
  if (where && !mayAsk(world, at.className, where, who)) return 403
  if (!object) return 400
  if (!model.mayWrite(object, who)) return 403
  if (where && !(model.mayRead(object, who) && meets(model, where, object, who))) return 400
  return 200
}

function mayAsk({ model }: World, className: string, where: Condition, who: Who): boolean {
  if (!model.isOpen(className, 'get', who)) return false
  try {
    checkMayAsk(model, where, className, who)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

/** Checks that a false condition is error 305, whether or not the caller can read its fields. */
function checkCode(
  status: number,
  isConditional: boolean,
  answer: Pick<Answer, 'body'>,
  context: object,
  isUser: boolean,
): void {
  if (status !== 400 || isUser) return
  compare({ status: isConditional ? 305 : 1 }, answer.body.code, undefined, context)
}

async function remove(world: World, random: Random, who: Who): Promise<Written | null> {
  const { model } = world
  const className = random.pick(world.classNames)
  const { objects } = model.classOf(className)
  const id = random.chance(0.1) || objects.size <= FEW ? MISSING : random.pick([...objects.keys()])
  const where = randomWhere(world, random, className)
  const way = randomWay(random)
  const search = where ? `?${new URLSearchParams({ where: JSON.stringify(toJson(where)) })}` : ''
  const cql = `delete from ${className} where objectId = '${id}'${where ? ` and ${conditionCql(where)}` : ''}`
  const answer = await send(world, who, way, 'DELETE', `/1.1/classes/${className}/${id}${search}`, {}, cql)
  const object = objects.get(id)
  const asked = statusOf(world, 'delete', { className, id }, where, who)
  // Deleting a missing object succeeds.
  const status = asked === 400 && !object && !where ? 200 : asked
  note(world, `delete${where ? ' on condition' : ''} ${status}`)
  const context = { write: 'delete', way, className, id, where: search, who, answer: answer.body }
  compare({ status }, answer.status, undefined, context)
  if (status !== 200 || !object) return null
  objects.delete(id)
  for (const other of model.classes.values())
    for (const { relations } of other.objects.values())
      for (const members of Object.values(relations)) members.delete(id)
  return { before: copyOf(object), after: null }
}

/** Adds objects to a relation, or removes them. */
async function relate(world: World, random: Random, who: Who): Promise<Written | null> {
  const { model } = world
  const className = random.pick(world.classNames)
  const { objects, relations } = model.classOf(className)
  const [id, target] = [random.pick([...objects.keys()]), relations.rel!]
  const member = random.pick([...model.classOf(target).objects.keys()])
  const op = random.pick(['AddRelation', 'RemoveRelation'] as const)
  const body = { rel: { __op: op, objects: [pointer({ className: target, id: member })] } }
  const answer = await send(
    world,
    who,
    random.pick(['url', 'batch']),
    'PUT',
    `/1.1/classes/${className}/${id}`,
    body,
    '',
  )
  const status = statusOf(world, 'update', { className, id }, null, who)
  note(world, `relation ${status}`)
  compare({ status }, answer.status, undefined, { write: 'relation', className, id, body, who, answer: answer.body })
  if (status !== 200) return null
  const object = objects.get(id)!
  const before = copyOf(object)
  if (op === 'AddRelation') object.relations.rel!.add(member)
  else object.relations.rel!.delete(member)
  return { before, after: copyOf(object) }
}

/** Adds users to a role, or removes them. It sends no events, but read permissions change from then on. */
export async function randomJoin(world: World, random: Random): Promise<void> {
  const { model, users } = world
  const who = random.pick(world.callers)
  const role = random.pick([...model.roles.values()])
  const user = random.pick(users).id
  const op = random.pick(['AddRelation', 'RemoveRelation'] as const)
  const body = { users: { __op: op, objects: [pointer({ className: '_User', id: user })] } }
  const answer = await send(world, who, random.pick(['url', 'batch']), 'PUT', `/1.1/roles/${role.id}`, body, '')
  const status = statusOf(world, 'update', { className: '_Role', id: role.id }, null, who)
  note(world, `role ${status}`)
  compare({ status }, answer.status, undefined, { write: 'role', role: role.name, body, who, answer: answer.body })
  if (status !== 200) return
  if (op === 'AddRelation') role.users.add(user)
  else role.users.delete(user)
}
