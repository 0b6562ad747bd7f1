import { type Model, type ModelObject, type Reference, Refused, type Value, type Who } from './model.ts'

/** A condition that can be expressed in JSON and mostly in CQL. */
export type Condition =
  | {
      readonly kind: 'compare'
      readonly field: string
      readonly how: '=' | '!=' | '>'
      readonly value: string | number
    }
  | { readonly kind: 'points'; readonly field: string; readonly to: Reference }
  | { readonly kind: 'both'; readonly of: readonly [Condition, Condition] }
  | { readonly kind: 'either'; readonly of: readonly [Condition, Condition] }
  | { readonly kind: 'inQuery'; readonly field: string; readonly not: boolean; readonly inner: Inner }
  | {
      readonly kind: 'select'
      readonly field: string
      readonly not: boolean
      readonly key: string
      readonly inner: Inner
    }
  | { readonly kind: 'relatedTo'; readonly owner: Reference; readonly key: string }
  | { readonly kind: 'contains'; readonly field: string; readonly member: Reference }

interface Inner {
  readonly className: string
  readonly where: Condition | null
}

export interface Query {
  readonly className: string
  readonly where: Condition | null
  /** A field, with a minus prefix for descending order. */
  readonly order: string | null
  readonly keys: readonly string[]
  readonly include: readonly string[]
  readonly count: boolean
  readonly limit: number | null
  readonly skip: number
}

const pointer = ({ className, id }: Reference) => ({ __type: 'Pointer', className, objectId: id })

export function toJson(where: Condition): object {
  switch (where.kind) {
    case 'compare':
      if (where.how === '=') return { [where.field]: where.value }
      return { [where.field]: { [where.how === '>' ? '$gt' : '$ne']: where.value } }
    case 'points':
      return { [where.field]: pointer(where.to) }
    case 'both':
    case 'either':
      return { [where.kind === 'both' ? '$and' : '$or']: where.of.map(toJson) }
    case 'inQuery':
      return { [where.field]: { [where.not ? '$notInQuery' : '$inQuery']: innerJson(where.inner) } }
    case 'select':
      return {
        [where.field]: {
          [where.not ? '$dontSelect' : '$select']: { query: innerJson(where.inner), key: where.key },
        },
      }
    case 'relatedTo':
      return { $relatedTo: { object: pointer(where.owner), key: where.key } }
    case 'contains':
      return { [where.field]: pointer(where.member) }
  }
}

function innerJson({ className, where }: Inner): object {
  return { className, where: where ? toJson(where) : {} }
}

/** Returns the query as a CQL `select`. */
export function toCql(query: Query): string {
  const what = [...(query.keys.length > 0 ? query.keys : ['*']), ...query.include.map((path) => `include ${path}`)]
  const counted = query.count ? [...what, 'count(*)'] : what
  const where = query.where ? ` where ${conditionCql(query.where)}` : ''
  const order = query.order ? ` order by ${query.order}` : ''
  const limit = query.limit === null ? '' : ` limit ${query.skip},${query.limit}`
  return `select ${counted.join(', ')} from ${query.className}${where}${order}${limit}`
}

const literal = (value: string | number) => (typeof value === 'number' ? `${value}` : `'${value}'`)
const pointerCql = ({ className, id }: Reference) => `pointer('${className}', '${id}')`

/** Returns a condition in CQL. */
export function conditionCql(where: Condition): string {
  switch (where.kind) {
    case 'compare':
      return `${where.field} ${where.how} ${literal(where.value)}`
    case 'points':
      return `${where.field} = ${pointerCql(where.to)}`
    case 'both':
    case 'either':
      return `(${where.of.map(conditionCql).join(where.kind === 'both' ? ' and ' : ' or ')})`
    case 'inQuery':
      return `${where.field} ${where.not ? 'not in' : 'in'} (select * from ${innerCql(where.inner)})`
    case 'select':
      return `${where.field} ${where.not ? 'not in' : 'in'} (select ${where.key} from ${innerCql(where.inner)})`
    case 'relatedTo':
      return `related ${where.key} to ${pointerCql(where.owner)}`
    case 'contains':
      return `${where.field} = ${pointerCql(where.member)}`
  }
}

function innerCql({ className, where }: Inner): string {
  return where ? `${className} where ${conditionCql(where)}` : className
}

/** Returns the operators of a condition. */
export function kindsOf(where: Condition | null): string[] {
  if (!where) return []
  if (where.kind === 'both' || where.kind === 'either') return where.of.flatMap(kindsOf)
  return [where.kind, ...('inner' in where ? kindsOf(where.inner.where) : [])]
}

/**
 * Returns the result by the model: ids in order, and their number without limit.
 * @throws Refused
 */
export function find(model: Model, query: Query, who: Who): { readonly ids: string[]; readonly count: number } {
  if (!model.isOpen(query.className, 'find', who)) throw new Refused()
  if (query.order && !model.mayAskBy(query.className, fieldOf(query.order), who)) throw new Refused()
  const all = matching(model, query, who)
  const field = query.order && fieldOf(query.order)
  const sign = query.order?.startsWith('-') ? -1 : 1
  all.sort((a, b) => {
    const by = field ? compare(a.fields[field], b.fields[field]) : 0
    return sign * (by || compare(a.id, b.id))
  })
  const limit = query.limit === null || (query.limit === 0 && !query.count) ? 100 : query.limit
  return { ids: all.slice(query.skip, query.skip + limit).map(({ id }) => id), count: all.length }
}

const fieldOf = (order: string) => order.replace('-', '')

/** Compares by code point; the texts here are ASCII. */
function compare(a: Value | undefined, b: Value | undefined): number {
  return a === b ? 0 : a! < b! ? -1 : 1
}

/**
 * Returns the matching objects that the caller can read, unordered.
 * @throws Refused
 */
function matching(model: Model, { className, where }: Inner, who: Who): ModelObject[] {
  if (where) checkMayAsk(model, where, className, who)
  const objects = [...model.classOf(className).objects.values()]
  return objects.filter((object) => model.mayRead(object, who) && (!where || meets(model, where, object, who)))
}

/** @throws Refused whether or not the result depends on an existing object */
export function checkMayAsk(model: Model, where: Condition, className: string, who: Who): void {
  if (where.kind === 'both' || where.kind === 'either') {
    for (const part of where.of) checkMayAsk(model, part, className, who)
    return
  }
  if (where.kind === 'relatedTo') {
    if (!model.isOpen(where.owner.className, 'get', who)) throw new Refused()
    if (!model.mayAskBy(where.owner.className, where.key, who)) throw new Refused()
    return
  }
  if (!model.mayAskBy(className, where.field, who)) throw new Refused()
  if (where.kind !== 'inQuery' && where.kind !== 'select') return
  if (!model.isOpen(where.inner.className, 'find', who)) throw new Refused()
  if (where.kind === 'select' && !model.mayAskBy(where.inner.className, where.key, who)) throw new Refused()
  if (where.inner.where) checkMayAsk(model, where.inner.where, where.inner.className, who)
}

export function meets(model: Model, where: Condition, object: ModelObject, who: Who): boolean {
  switch (where.kind) {
    case 'compare': {
      const value = object.fields[where.field]
      if (where.how === '!=') return value !== where.value
      return where.how === '=' ? value === where.value : typeof value === typeof where.value && value! > where.value
    }
    case 'points':
      return isAmong(object.fields[where.field], new Set([nameOf(where.to)]))
    case 'both':
      return where.of.every((part) => meets(model, part, object, who))
    case 'either':
      return where.of.some((part) => meets(model, part, object, who))
    case 'inQuery': {
      const found = new Set(matching(model, where.inner, who).map(nameOf))
      return isAmong(object.fields[where.field], found) !== where.not
    }
    case 'select': {
      const values = matching(model, where.inner, who).map(({ fields }) => fields[where.key])
      return values.includes(object.fields[where.field]) !== where.not
    }
    case 'relatedTo': {
      const owner = model.object(where.owner)
      if (!owner || !model.mayRead(owner, who)) return false
      const isClass = model.classOf(owner.className).relations[where.key] === object.className
      return isClass && owner.relations[where.key]!.has(object.id)
    }
    case 'contains':
      return object.relations[where.field]!.has(where.member.id)
  }
}

const nameOf = ({ className, id }: Reference) => `${className} ${id}`

/** Returns whether a pointer, or one in a list, is among the names. */
function isAmong(value: Value | undefined, names: ReadonlySet<string>): boolean {
  const references = Array.isArray(value) ? (value as Reference[]) : [value as Reference]
  return references.some((one) => one && names.has(nameOf(one)))
}
