import { text } from '../../database/decode-row.ts'
import { isTimeout } from '../../database/faults.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { checkVisible } from '../../objects/classes/field-options.ts'
import { parseFindQuery } from '../../objects/query-parameters.ts'
import { findObjects } from '../../objects/reading/find.ts'
import { readableRows, whereContext } from '../../objects/store.ts'
import { referenceExpression } from '../../objects/where/columns.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import { isJsonObject, type Json, type JsonObject, parseJson, shown } from '../../values/json.ts'
import { checkClassName, isObjectId } from '../../values/names.ts'
import { type Statuses, USER } from './statuses.ts'

/** The receivers of a status: users that a query on some class yields. Can be serialized as JSON. */
export interface Audience {
  readonly className: string
  /** The condition as sent. */
  readonly where: JsonObject
  /** The field with the pointer to the user; null: the objects are the users. */
  readonly field: string | null
  /** Limits the receivers to a page in the requested order; null: all of them. */
  readonly part: { readonly limit: number; readonly skip: number; readonly order: string } | null
  /** Set after a timeout of the query; the table is then scanned in windows. */
  readonly isSlow?: boolean
}

/** A page of the receivers. */
export interface AudiencePage {
  /** Ids of users, without duplicates. */
  readonly users: readonly string[]
  /** The last object id that the page covers; null: it is the last page. */
  readonly until: string | null
  /** The query timed out (`Audience.isSlow`). */
  readonly isSlow?: boolean
}

const MAX_LIMIT = 1000
/** Objects scanned at a time when a condition is too slow for the whole table. */
const WINDOW = 20_000
/** Maximum ids in a condition that counts as reading users rather than finding them. */
const MAX_IDS = 1000

/** Default fields that point to the receivers. */
const USUAL_FIELDS: ReadonlyMap<string, string> = new Map([
  ['_Follower', 'follower'],
  ['_Followee', 'followee'],
])

/**
 * Parses the query of a status.
 * @throws ApiError 1, 102, 103, 107, and the errors of the condition
 */
export function parseAudience(wire: Json | undefined): Audience {
  if (!isJsonObject(wire))
    throw errors.badArgument(
      `'query' must be an object that selects the recipients of the status, such as {"className":"_Follower","where":{…}}, not ${shown(wire ?? null)}.`,
    )
  const className = checkClassName(wire.className)
  const where = whereOf(wire.where)
  const { order } = parseFindQuery({ where, order: wire.order, skip: wire.skip })
  const limit = typeof wire.limit === 'string' ? Number(wire.limit) : wire.limit
  const isPart = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT
  return {
    className,
    where,
    field: className === USER ? null : fieldOf(className, wire.keys),
    part: isPart ? { limit, skip: Number(wire.skip ?? 0), order: order.length > 0 ? String(wire.order) : '' } : null,
  }
}

/** Parses the condition. Some SDKs send it as a text. */
function whereOf(wire: Json | undefined): JsonObject {
  const where = typeof wire === 'string' && wire !== '' ? parseJson(wire, "The 'where' of 'query'") : (wire ?? {})
  if (where === '') return {}
  if (!isJsonObject(where)) throw errors.invalidQuery("The 'where' of 'query' must be an object.")
  return where
}

/** Returns the field in `keys` that points to the users. */
function fieldOf(className: string, keys: Json | undefined): string {
  const names = (typeof keys === 'string' ? keys.split(',') : Array.isArray(keys) ? keys : [])
    .map((name) => (typeof name === 'string' ? name.trim() : ''))
    .filter((name) => name !== '')
  const field = names.length === 1 ? names[0] : USUAL_FIELDS.get(className)
  if (field === undefined)
    throw errors.badArgument(
      `The 'keys' of 'query' must name one field of ${className}, a Pointer to the recipients of the status.`,
    )
  return field
}

/**
 * Returns a page of the receivers of a status, with the caller's permissions.
 * @param after id of the last object of the previous page; '' for the first page
 * @param limit maximum number of objects
 * @throws ApiError 101, 102, 124, 403
 */
export async function audienceAfter(
  statuses: Statuses,
  audience: Audience,
  after: string,
  limit: number,
  caller: Caller,
): Promise<AudiencePage> {
  const schema = await checkedSchema(statuses, audience, caller)
  if (audience.part) return partOf(statuses, audience, schema, caller)
  if (!audience.isSlow)
    try {
      return await rangeAfter(statuses, audience, schema, sql`id > ${after}`, limit, caller, null)
    } catch (error) {
      if (!isTimeout(error)) throw error
    }
  // It matches few objects and no index serves it.
  const end = await windowAfter(statuses, schema, after)
  const range = end === null ? sql`id > ${after}` : sql`id > ${after} AND id <= ${end}`
  return { ...(await rangeAfter(statuses, audience, schema, range, limit, caller, end)), isSlow: true }
}

/**
 * Checks the permissions: the caller must be allowed to find the objects, or to read the users if the condition names them by id.
 */
async function checkedSchema(
  { objects }: Statuses,
  { className, where, field }: Audience,
  caller: Caller,
): Promise<ClassSchema> {
  const schema = await objects.classes.find(className)
  checkPermission(className, schema.permissions, field === null && namesIds(where) ? 'get' : 'find', caller)
  if (field === null) return schema
  checkVisible(schema, field, caller)
  const type = schema.fields.get(field)?.type
  if (type?.type !== 'Pointer' || type.className !== USER)
    throw errors.invalidQuery(`The 'keys' of 'query' must name a Pointer to users; '${field.slice(0, 80)}' is not one.`)
  return schema
}

function namesIds(where: JsonObject): boolean {
  const [name, ...others] = Object.keys(where)
  if (name !== 'objectId' || others.length > 0) return false
  const value = where.objectId!
  if (isObjectId(value)) return true
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return false
  const ids = value.$in ?? [value.$eq]
  return Array.isArray(ids) && ids.length <= MAX_IDS && ids.every(isObjectId)
}

async function rangeAfter(
  { objects, database }: Statuses,
  { field, where: wire }: Audience,
  schema: ClassSchema,
  range: Sql,
  limit: number,
  caller: Caller,
  end: string | null,
): Promise<AudiencePage> {
  const where = parseWhere(wire)
  const { rows, milliseconds } = await database.search(
    sql`
      SELECT id, ${field === null ? sql`id` : referenceExpression(field, 'Pointer')} AS user_id
      FROM ${schema.table}
      WHERE ${range}
        AND ${whereToSql(where, schema.name, whereContext(objects, caller))}
        AND ${readableRows(objects, schema.name, caller)}
      ORDER BY id
      LIMIT ${limit}`,
    caller.origin?.principal,
  )
  objects.indexes.observe(schema, where, [], milliseconds)
  const users = new Set(rows.map(text.orNull('user_id')).filter((id) => id !== null))
  return { users: [...users], until: rows.length < limit ? end : text('id')(rows.at(-1)!) }
}

async function windowAfter({ database }: Statuses, { table }: ClassSchema, after: string): Promise<string | null> {
  const { rows } = await database.search(sql`
    SELECT id FROM ${table} WHERE id > ${after} ORDER BY id OFFSET ${WINDOW - 1} LIMIT 1`)
  return rows[0] === undefined ? null : text('id')(rows[0])
}

/** Returns the receivers of a limited query, in the requested order. */
async function partOf(
  { objects }: Statuses,
  { where, field, part }: Audience,
  schema: ClassSchema,
  caller: Caller,
): Promise<AudiencePage> {
  const query = parseFindQuery({ ...part!, where, keys: field ?? 'objectId' })
  const operation = field === null && namesIds(where) ? 'get' : 'find'
  const { results } = await findObjects(objects, schema.name, query, caller, operation)
  const users = results.map((text) => {
    const object = JSON.parse(text) as JsonObject
    return field === null ? object.objectId : (object[field] as JsonObject | undefined)?.objectId
  })
  return { users: [...new Set(users.filter(isObjectId))], until: null }
}
