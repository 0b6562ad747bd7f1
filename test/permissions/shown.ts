import type { Model, ModelObject, Reference, Who } from './model.ts'

type Json = Record<string, unknown>

interface Tree {
  [name: string]: Tree
}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = {}
  for (const path of paths) {
    let node = root
    for (const part of path.split('.')) {
      node[part] ??= {}
      node = node[part]!
    }
  }
  return root
}

/**
 * Returns the expected response for an object: its fields visible to the caller, selected by `keys`, with the targets of
 * pointers named by `include` when the caller can get and read them.
 */
export function shown(
  model: Model,
  object: ModelObject,
  who: Who,
  keys: readonly string[] = [],
  include: readonly string[] = [],
): Json {
  const chosen = keys.filter((key) => !key.startsWith('-'))
  const left = keys.filter((key) => key.startsWith('-')).map((key) => key.slice(1))
  const deeper = chosen.filter((key) => key.includes('.')).map((key) => key.split('.').slice(0, -1).join('.'))
  return show(model, object, who, chosen.length > 0 ? treeOf(chosen) : null, treeOf([...include, ...deeper]), left)
}

function show(
  model: Model,
  object: ModelObject,
  who: Who,
  keys: Tree | null,
  include: Tree,
  left: readonly string[],
): Json {
  const result: Json = { objectId: object.id }
  for (const [name, value] of Object.entries(object.fields)) {
    if (!model.sees(object.className, name, object.id, who) || left.includes(name)) continue
    if (keys && !keys[name]) continue
    const below = keys?.[name] && Object.keys(keys[name]).length > 0 ? keys[name] : null
    const expand = (reference: Reference, tree: Tree) => expanded(model, reference, who, below, tree)
    if (Array.isArray(value)) {
      result[name] = include[name] ? value.map((one) => expand(one, {})) : value.map(pointerOf)
    } else if (typeof value === 'object') {
      result[name] = include[name] ? expand(value as Reference, include[name]) : pointerOf(value as Reference)
    } else result[name] = value
  }
  return result
}

const pointerOf = ({ className, id }: Reference) => ({ __type: 'Pointer', className, objectId: id })

function expanded(model: Model, reference: Reference, who: Who, keys: Tree | null, include: Tree): Json {
  const target = model.object(reference)
  if (!target || !model.isOpen(reference.className, 'get', who) || !model.mayRead(target, who))
    return pointerOf(reference)
  return { ...pointerOf(reference), ...show(model, target, who, keys, include, []) }
}

/** Returns the object of a response without members outside the model: times, names, relations. */
export function reduced(model: Model, value: Json, className: string, who: Who): Json {
  const known = fieldsOf(model, className)
  const result: Json = {}
  for (const [name, member] of Object.entries(value)) {
    if (['__type', 'className', 'objectId'].includes(name)) result[name] = member
    else if (name === 'authData') result[name] = 'shown'
    // Queries with the master key return the session tokens of users.
    else if (SECRETS.has(name) && who.kind !== 'master') result[name] = member
    // Relations are not fields of an object in the model. Hidden ones must not be returned.
    else if (isRelation(member) && who.kind === 'master') continue
    else if (known.has(name)) result[name] = reducedMember(model, member, who)
  }
  return result
}

function isRelation(member: unknown): boolean {
  return (member as { __type?: string } | null)?.__type === 'Relation'
}

/** Fields never returned to clients; they are not part of the model. */
const SECRETS = new Set(['password', 'salt', 'sessionToken'])

function reducedMember(model: Model, member: unknown, who: Who): unknown {
  if (Array.isArray(member)) return member.map((one) => reducedMember(model, one, who))
  if (typeof member !== 'object' || member === null) return member
  const { className } = member as { className?: string }
  return className === undefined ? member : reduced(model, member as Json, className, who)
}

function fieldsOf(model: Model, className: string): Set<string> {
  const { objects, hidden, own } = model.classOf(className)
  return new Set([...hidden, ...own, ...[...objects.values()].flatMap(({ fields }) => Object.keys(fields))])
}
