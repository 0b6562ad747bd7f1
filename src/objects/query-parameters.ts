import { errors } from '../errors.ts'
import { isJsonObject, type Json, numberOf, parseJson } from '../values/json.ts'
import { isKeyName } from '../values/names.ts'
import { parseOrder } from './where/order.ts'
import { parseWhere } from './where/parse.ts'
import type { Ordering, Where } from './where/tree.ts'

export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 1000
const MAX_SKIP = 2 ** 31
const MAX_PATH_DEPTH = 8
const MAX_PATHS = 100
/** Maximum characters of a list of names: more than the longest names need. */
const MAX_NAMES_LENGTH = 100_000

/** Nested names: `author` and `author.company` give { author: { company: {} } }. */
export interface PathTree {
  readonly [name: string]: PathTree
}

/** The selected members of an object. */
export interface Selection {
  /** null: all members */
  readonly included: PathTree | null
  readonly excluded: readonly (readonly string[])[]
}

/** How objects are presented. */
export interface View {
  readonly selection: Selection | null
  readonly include: PathTree | null
  /** Whether `returnACL=true` was sent. */
  readonly acl: boolean
  /** Shows the ACL regardless of the app's settings. */
  readonly aclAnyway?: true
  /** Omits what is computed when an object is presented (`ClassRules.show`). */
  readonly asStored?: true
}

export interface FindQuery {
  readonly where: Where | null
  readonly order: readonly Ordering[]
  readonly limit: number
  readonly skip: number
  readonly count: boolean
  readonly view: View
}

/** Query parameters as received: text in a URL, JSON values in a batch or tunneled body. */
export type Parameters = { readonly [name: string]: Json | undefined }

/**
 * Parses the parameters of a class query (protocol/storage, Query parameters).
 * @example
 * parseFindQuery({ where: '{"score":{"$gt":10}}', order: '-score', limit: '10' })
 */
export function parseFindQuery(parameters: Parameters): FindQuery {
  return {
    where: parseWhereParameter(parameters.where),
    order: parseOrder(names('order', parameters.order).join(',')),
    limit: isSet(parameters.count) && isZero(parameters.limit) ? 0 : pageSize(parameters.limit),
    skip: parseSkip(parameters.skip),
    count: isSet(parameters.count),
    view: parseView(parameters),
  }
}

/** Parses the parameters `keys`, `include` and `returnACL`. */
export function parseView(parameters: Parameters): View {
  const selection = parseKeys(parameters.keys)
  const include = mergeTrees(parsePaths('include', parameters.include), pointersOf(selection))
  return { selection, include: Object.keys(include).length > 0 ? include : null, acl: isSet(parameters.returnACL) }
}

/** Parses the condition of a query, update or delete; null if there is none. @throws ApiError 107 when the text is not JSON */
export function parseWhereParameter(value: Json | undefined): Where | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') return parseWhere(value)
  const wire = parseJson(value, "The parameter 'where'")
  return wire === null ? null : parseWhere(wire)
}

/**
 * Returns the page size for `limit`. Values outside 1–1000 count as 100 (protocol/storage, Endpoints). With `count`, the caller
 * accepts 0 for the count alone.
 */
export function pageSize(raw: Json | undefined): number {
  if (raw === undefined || raw === null || raw === '') return DEFAULT_LIMIT
  const limit = numberOf(raw)
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT ? limit : DEFAULT_LIMIT
}

function isZero(raw: Json | undefined): boolean {
  return raw === 0 || (typeof raw === 'string' && raw.trim() !== '' && Number(raw) === 0)
}

function parseSkip(raw: Json | undefined): number {
  if (raw === undefined || raw === null || raw === '') return 0
  const skip = numberOf(raw)
  if (!Number.isInteger(skip) || skip < 0 || skip > MAX_SKIP) {
    throw errors.invalidQuery("The parameter 'skip' must be a whole number of 0 or more.")
  }
  return skip
}

function parseKeys(raw: Json | undefined): Selection | null {
  const all = names('keys', raw)
  if (all.length === 0) return null
  const included = all.filter((name) => !name.startsWith('-'))
  const excluded = all.filter((name) => name.startsWith('-')).map((name) => checkPath('keys', name.slice(1)))
  return { included: included.length > 0 ? parsePaths('keys', included) : null, excluded }
}

/** Returns the pointers to include: `author.name` in `keys` includes the author (protocol/storage, Query parameters). */
function pointersOf(selection: Selection | null): PathTree {
  const parents = (tree: PathTree): PathTree =>
    Object.fromEntries(
      Object.entries(tree)
        .filter(([, below]) => Object.keys(below).length > 0)
        .map(([name, below]) => [name, parents(below)]),
    )
  return selection?.included ? parents(selection.included) : {}
}

function parsePaths(parameter: string, raw: Json | undefined): PathTree {
  const root: Record<string, PathTree> = Object.create(null)
  for (const name of names(parameter, raw)) {
    let node = root
    for (const part of checkPath(parameter, name)) {
      node[part] ??= Object.create(null) as PathTree
      node = node[part] as Record<string, PathTree>
    }
  }
  return root
}

function mergeTrees(a: PathTree, b: PathTree): PathTree {
  const merged: Record<string, PathTree> = Object.assign(Object.create(null), a)
  for (const [name, below] of Object.entries(b)) merged[name] = merged[name] ? mergeTrees(merged[name], below) : below
  return merged
}

function names(parameter: string, raw: Json | undefined): string[] {
  if (raw === undefined || raw === null || raw === '') return []
  if (typeof raw === 'string' && raw.length > MAX_NAMES_LENGTH)
    throw errors.invalidQuery(`The parameter '${parameter}' must have at most ${MAX_NAMES_LENGTH} characters.`)
  const list = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : null
  if (!list?.every((name) => typeof name === 'string')) {
    throw errors.invalidQuery(`The parameter '${parameter}' must be a list of field names separated by commas.`)
  }
  const trimmed = list.map((name) => (name as string).trim()).filter((name) => name !== '')
  if (trimmed.length > MAX_PATHS)
    throw errors.invalidQuery(`The parameter '${parameter}' must name at most ${MAX_PATHS} fields.`)
  return trimmed
}

function checkPath(parameter: string, name: string): string[] {
  const path = name.split('.')
  if (path.length > MAX_PATH_DEPTH || !path.every(isKeyName)) {
    throw errors.invalidQuery(
      `The parameter '${parameter}' contains '${name.slice(0, 80)}', which is not a valid field name.`,
    )
  }
  return path
}

/** Returns whether a parameter is switched on: `1`, `true` or their text forms; Python sends `True`. */
export function isSet(value: Json | undefined): boolean {
  return value === 1 || value === true || value === '1' || value === 'true' || value === 'True'
}

/** Returns the parameters of a sub-object, such as `params` in a batch item. */
export function asParameters(value: unknown): Parameters {
  return isJsonObject(value) ? value : {}
}
