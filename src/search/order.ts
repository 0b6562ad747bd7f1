import { join, raw, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { checkVisible } from '../objects/classes/field-options.ts'
import { geoIndexExpression, KEY_LENGTH, textExpression, valueExpression } from '../objects/where/columns.ts'
import type { GeoPoint } from '../objects/where/tree.ts'
import { isJsonObject, type Json, type JsonObject, numberOf, parseJson } from '../values/json.ts'
import { isKeyName } from '../values/names.ts'

/** One item of the order of results. */
export interface SortKey {
  readonly by: 'score' | SortField | Distance
  readonly descending: boolean
  readonly missing: 'first' | 'last'
}

interface SortField {
  readonly field: string
  /** How an Array of numbers is reduced to one value. */
  readonly mode: Mode
}

interface Distance {
  readonly field: string
  readonly from: GeoPoint
}

const MODES = ['avg', 'min', 'max', 'sum'] as const
type Mode = (typeof MODES)[number]

const MAX_KEYS = 5

/** Most relevant first. */
export const BY_SCORE: readonly SortKey[] = [{ by: 'score', descending: true, missing: 'last' }]

/**
 * Parses `order` and `sort` (protocol/search, Order).
 * @throws ApiError 102
 */
export function parseSortKeys(order: Json | undefined, sort: Json | undefined): readonly SortKey[] {
  const keys = isGiven(sort) ? parseSort(sort) : isGiven(order) ? parseOrder(order) : BY_SCORE
  if (keys.length > MAX_KEYS) throw errors.invalidQuery(`Results can be ordered by at most ${MAX_KEYS} fields.`)
  return keys.length === 0 ? BY_SCORE : keys
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== ''
}

function parseOrder(order: Json): SortKey[] {
  if (typeof order !== 'string')
    throw errors.invalidQuery("The parameter 'order' must be names of fields, such as '-score,title'.")
  return order
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => fieldKey(item.replace(/^[-+]/, ''), item.startsWith('-') ? 'desc' : 'asc'))
}

function parseSort(given: Json): SortKey[] {
  const sort = typeof given === 'string' ? parseJson(given, "The parameter 'sort'", 1000) : given
  return (Array.isArray(sort) ? sort : [sort]).map((item: unknown) => {
    if (typeof item === 'string') return fieldKey(item)
    if (!isJsonObject(item) || Object.keys(item).length !== 1)
      throw errors.invalidQuery('The parameter \'sort\' must be a list such as [{"score":{"order":"desc"}}].')
    const [name, options] = Object.entries(item)[0]!
    if (typeof options === 'string') return fieldKey(name, options)
    if (!isJsonObject(options))
      throw errors.invalidQuery(`sort: '${name.slice(0, 80)}' needs an object such as {"order":"desc"}.`)
    return name === '_geo_distance'
      ? distanceKey(options)
      : fieldKey(name, options.order, options.mode, options.missing)
  })
}

function fieldKey(
  name: string,
  order: Json = name === '_score' ? 'desc' : 'asc',
  mode: Json = 'avg',
  missing: Json = '_last',
): SortKey {
  if (name !== '_score' && !isKeyName(name))
    throw errors.invalidQuery(`sort: '${name.slice(0, 80)}' is not a valid field name.`)
  const descending = isDescending(order)
  if (missing !== '_first' && missing !== '_last')
    throw errors.invalidQuery(`sort: 'missing' of '${name}' must be '_first' or '_last'.`)
  const known = MODES.find((one) => one === mode)
  if (!known) throw errors.invalidQuery(`sort: 'mode' of '${name}' must be one of ${MODES.join(', ')}.`)
  const by = name === '_score' ? (name.slice(1) as 'score') : { field: name, mode: known }
  return { by, descending, missing: missing === '_first' ? 'first' : 'last' }
}

const DISTANCE_OPTIONS = new Set(['order', 'unit', 'mode', 'distance_type', 'ignore_unmapped'])

/** Parses a sort by distance. The unit does not affect the order, and an object has one location. */
function distanceKey(options: JsonObject): SortKey {
  const [field, ...others] = Object.keys(options).filter((name) => !DISTANCE_OPTIONS.has(name))
  if (field === undefined || others.length > 0 || !isKeyName(field))
    throw errors.invalidQuery(
      'sort: \'_geo_distance\' must have one field, such as {"place":{"lat":39.9,"lon":116.4},"order":"asc"}.',
    )
  return {
    by: { field, from: geoPointOf(options[field]!) },
    descending: isDescending(options.order ?? 'asc'),
    missing: 'last',
  }
}

function geoPointOf(given: Json): GeoPoint {
  const text = typeof given === 'string' ? given.split(',').map((part) => part.trim()) : null
  const [lat, lon] = isJsonObject(given)
    ? [given.lat ?? given.latitude, given.lon ?? given.longitude]
    : Array.isArray(given)
      ? [given[1], given[0]]
      : (text ?? [])
  const [latitude, longitude] = [numberOf(lat), numberOf(lon)]
  if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180))
    throw errors.invalidQuery('sort: \'_geo_distance\' needs a point such as {"lat":39.9,"lon":116.4}.')
  return { __type: 'GeoPoint', latitude, longitude }
}

function isDescending(order: Json): boolean {
  if (order !== 'asc' && order !== 'desc') throw errors.invalidQuery("sort: 'order' must be 'asc' or 'desc'.")
  return order === 'desc'
}

/**
 * Returns the sort value of a key as jsonb, on a row of a class. The type is the same for all classes, so that they can be sorted
 * together and a cursor is a list of JSON values.
 * @throws ApiError 403 for a field that is hidden from the caller
 */
export function sortValue({ by }: SortKey, schema: ClassSchema, caller: Caller): Sql {
  if (by === 'score') return raw('NULL::jsonb')
  checkVisible(schema, by.field, caller)
  if ('from' in by) return distance(by)
  switch (by.field) {
    case 'objectId':
      return sql`to_jsonb(id)`
    case 'createdAt':
      return timeValue(raw('created_at'))
    case 'updatedAt':
      return timeValue(raw('updated_at'))
  }
  const value = valueExpression(by.field)
  switch (schema.fields.get(by.field)?.type.type) {
    case 'String':
      return sql`to_jsonb(left(${textExpression(by.field)}, ${raw(String(KEY_LENGTH))}))`
    case 'Number':
    case 'Boolean':
      return sql`NULLIF(${value}, 'null'::jsonb)`
    case 'Date':
      return sql`to_jsonb(${value}->>'iso')`
    case 'Array':
      return sql`(
        SELECT to_jsonb(${raw(by.mode)}((element #>> '{}')::numeric))
        FROM jsonb_array_elements(CASE jsonb_typeof(${value}) WHEN 'array' THEN ${value} ELSE '[]' END) AS element
        WHERE jsonb_typeof(element) = 'number')`
    default:
      return raw('NULL::jsonb')
  }
}

function timeValue(column: Sql): Sql {
  return sql`to_jsonb(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'))`
}

/** Returns SQL for the length of the chord, which increases with the distance. */
function distance({ field, from }: Distance): Sql {
  const point = JSON.stringify(from)
  return sql`to_jsonb((${geoIndexExpression(field)} OPERATOR(homeport.<->) homeport.geo_point(${point}::jsonb))::float8)`
}

/** A position in the order: the values of the keys as JSON texts, and the tie-breakers. */
export interface Position {
  readonly values: readonly (string | null)[]
  readonly id: string
  /** Number of the class among the searched classes. */
  readonly place: number
}

/** Returns ORDER BY items for the columns `k0`, `k1`, …, `found_id` and `class`. */
export function ordering(keys: readonly SortKey[]): Sql {
  const items = keys.map(({ descending, missing }, index) =>
    raw(`k${index} ${descending ? 'DESC' : 'ASC'} NULLS ${missing === 'first' ? 'FIRST' : 'LAST'}`),
  )
  return join([...items, raw(`found_id ${newestFirst(keys) ? 'DESC' : 'ASC'}`), raw('class ASC')], ', ')
}

/**
 * Returns whether ties are ordered newest first. After a field in ascending order they are ordered oldest first, as in queries,
 * so that the same index serves both.
 */
export function newestFirst(keys: readonly SortKey[]): boolean {
  const last = keys.at(-1)
  return last === undefined || last.by === 'score' || last.descending
}

/** Returns the condition for rows after a position. */
export function afterPosition(keys: readonly SortKey[], { values, id, place }: Position): Sql {
  const comparison = raw(newestFirst(keys) ? '<' : '>')
  const last = sql`(found_id ${comparison} ${id}::text COLLATE "C" OR found_id = ${id}::text COLLATE "C" AND class > ${place}::integer)`
  return keys.reduceRight((rest, key, index) => {
    const column = raw(`k${index}`)
    const value = values[index] ?? null
    const same = sql`${column} IS NOT DISTINCT FROM ${value}::jsonb AND ${rest}`
    return sql`(${beyond(column, value, key)} OR ${same})`
  }, last)
}

function beyond(column: Sql, value: string | null, { descending, missing }: SortKey): Sql {
  if (value === null) return missing === 'first' ? sql`${column} IS NOT NULL` : raw('FALSE')
  const after = sql`${column} ${raw(descending ? '<' : '>')} ${value}::jsonb`
  return missing === 'last' ? sql`(${after} OR ${column} IS NULL)` : after
}
