import { createHash } from 'node:crypto'
import { identifier, join, raw, type Sql, sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import { containmentIndex, keyExpression, sortDirection, systemColumn, textExpression } from '../where/columns.ts'
import { type IndexUse, indexable, isSorted } from '../where/indexable.ts'
import type { Path } from '../where/path.ts'
import type { Ordering, Where } from '../where/tree.ts'
import type { ClassSchema } from './class-schema.ts'

/** The definition of an index of a class: ordered by keys, or of the elements at a path. */
export type IndexDefinition =
  | { readonly kind: 'sorted'; readonly keys: readonly IndexKey[]; readonly unique: boolean }
  | { readonly kind: 'containment'; readonly path: Path }

export interface IndexKey {
  readonly field: string
  readonly descending: boolean
}

/** An index to be created or removed by an administrator. */
export interface WantedIndex {
  readonly keys: readonly IndexKey[]
  /** Whether no two objects may share the values; objects that lack one of them do not count. */
  readonly unique: boolean
}

/** Further leading keys speed up no query enough to justify their cost on every write. */
const MAX_EQUALITY_KEYS = 3

/**
 * Returns the indexes that would serve a query: for each group of conditions joined by AND, its equalities, then the order of the
 * results or else its range.
 */
export function definitionsFor(
  schema: ClassSchema,
  where: Where | null,
  order: readonly Ordering[],
): IndexDefinition[] {
  const found = where ? indexable(where, (field) => typeOf(schema, field)) : []
  const groups = found.length > 0 ? found : [[]]
  return groups.flatMap((group) => {
    const fields = (use: IndexUse['use']) => group.filter((one) => one.use === use).map((one) => one.path)
    const containment = fields('containment').map((path): IndexDefinition => ({ kind: 'containment', path }))
    const sorted = sortedDefinition(schema, fields('equality').map(fieldOf), fields('range').map(fieldOf), order)
    return sorted ? [sorted, ...containment] : containment
  })
}

function fieldOf(path: Path): string {
  return path[0]
}

function sortedDefinition(
  schema: ClassSchema,
  equal: readonly string[],
  range: readonly string[],
  order: readonly Ordering[],
): IndexDefinition | null {
  const isSortable = (field: string) =>
    systemColumn(field) !== null || isSorted([field], (name) => typeOf(schema, name))
  const leading = [...new Set(equal)].sort().slice(0, MAX_EQUALITY_KEYS)
  const equalities = leading.map((field) => ({ field, descending: false }))
  const sorted = order.every((key) => key.path.length === 1 && isSortable(key.path[0]!)) ? order : []
  // An index can be read in both directions: only the relative directions of its keys matter.
  const flip = sorted[0]?.descending === true
  const ordered = sorted
    .map((key) => ({ field: key.path[0]!, descending: key.descending !== flip }))
    .filter((key) => !leading.includes(key.field))
  const ranges = range.filter((field) => !leading.includes(field)).map((field) => ({ field, descending: false }))
  const keys = [...equalities, ...(ordered.length > 0 ? ordered : ranges.slice(0, 1))]
  if (keys.length === 0 || keys[0]!.field === 'objectId') return null
  return { kind: 'sorted', keys, unique: false }
}

function typeOf(schema: ClassSchema, field: string): FieldType | undefined {
  return schema.fields.get(field)?.type
}

/**
 * Returns a text that identifies the index within a class, for example `status,-score`. It is stored as the comment of the index.
 */
export function describe(definition: IndexDefinition): string {
  if (definition.kind === 'containment') return `elements of ${definition.path.join('.')}`
  const keys = definition.keys.map((key) => (key.descending ? `-${key.field}` : key.field)).join(',')
  return definition.unique ? `unique ${keys}` : keys
}

/** Returns the top-level fields that an index holds. */
export function fieldsOf(definition: IndexDefinition): string[] {
  return definition.kind === 'containment' ? [definition.path[0]] : definition.keys.map(({ field }) => field)
}

/** Returns the name of the index: the same on every node, so that an index is never built twice. */
export function nameOf(schema: ClassSchema, definition: IndexDefinition): string {
  const digest = createHash('sha256')
    .update(`${schema.tableName} ${describe(definition)}`)
    .digest('hex')
    .slice(0, 20)
  return `${definition.kind === 'sorted' && definition.unique ? 'unique' : 'auto'}_${digest}`
}

/** Returns whether the first index serves all queries that the second one would. */
export function covers(first: IndexDefinition, second: IndexDefinition): boolean {
  if (first.kind !== 'sorted' || second.kind !== 'sorted' || second.unique) return describe(first) === describe(second)
  return second.keys.every(
    (key, index) => first.keys[index]?.field === key.field && first.keys[index]?.descending === key.descending,
  )
}

/** Returns the statement that builds the index. It builds concurrently, so that the class stays writable. */
export function createStatement(schema: ClassSchema, definition: IndexDefinition): Sql {
  const unique = definition.kind === 'sorted' && definition.unique
  return sql`
    CREATE ${raw(unique ? 'UNIQUE ' : '')}INDEX CONCURRENTLY IF NOT EXISTS ${identifier(nameOf(schema, definition))}
    ON ${schema.table} ${structure(schema, definition)}`
}

function structure(schema: ClassSchema, definition: IndexDefinition): Sql {
  if (definition.kind === 'containment') return containmentIndex(definition.path, typeOf(schema, definition.path[0]))
  if (definition.unique)
    return sql`(${join(
      definition.keys.map((key) => uniqueExpression(schema, key.field)),
      ', ',
    )})`
  const keys = definition.keys.map((key) => {
    const expression = keyExpression(key.field, typeOf(schema, key.field))
    return sql`(${expression}) ${sortDirection(key.field, key.descending)}`
  })
  // Ties are in the order of creation, in the direction of the last key, as in queries.
  const last = definition.keys.at(-1)?.descending ? sql`id DESC` : sql`id`
  return sql`(${join([...keys, last], ', ')})`
}

/** Returns the expression of a unique key: it covers the whole value, and objects without one do not count. */
function uniqueExpression(schema: ClassSchema, field: string): Sql {
  const type = typeOf(schema, field)
  const key = keyExpression(field, type)
  if (type?.type === 'String') return textExpression(field)
  return systemColumn(field)
    ? sql`(${key})`
    : sql`(NULLIF(${key}, ${type?.type === 'Pointer' || type?.type === 'File' ? raw('NULL') : raw("'null'::jsonb")}))`
}
