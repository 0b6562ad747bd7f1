import { json, number, text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { checkPermission, mayDo } from '../objects/access/permissions.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { isVisible } from '../objects/classes/field-options.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { type Parameters, type PathTree, pageSize, parseView, type View } from '../objects/query-parameters.ts'
import { presentRows } from '../objects/reading/present.ts'
import { inSlices } from '../scheduling/in-slices.ts'
import { SERVER } from '../scheduling/principal.ts'
import { has, isJsonObject, type Json, member, numberOf } from '../values/json.ts'
import { checkClassName } from '../values/names.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { searchedFields } from './fields.ts'
import { findPage } from './find-page.ts'
import { highlightCost, highlighted, searchedWords } from './highlight.ts'
import { type SearchIndex, wordFields } from './indexing/indexes.ts'
import { parseSortKeys, type SortKey } from './order.ts'
import type { SearchedClass } from './page-query.ts'
import { compileQuery, isSystemField } from './query/compile.ts'
import { parseQuery } from './query/parse.ts'
import { namedFields, type Query } from './query/tree.ts'
import type { Search } from './search.ts'

/** Maximum classes of one search. */
const MAX_CLASSES = 20
/** Maximum characters of texts that are searched for the highlights of a response. */
const MAX_HIGHLIGHTED = 200_000

export interface SearchResults {
  readonly hits: number
  /** Objects as JSON texts. */
  readonly results: readonly string[]
  /** Cursor for the next page; null when this page is empty. Always present, because some clients require the member. */
  readonly sid: string | null
}

/**
 * Finds objects by a query string (protocol/search, Select).
 * @throws ApiError 101, 102, 124 on timeout, 403 when a class denies `find` to the caller, or a named field is hidden
 */
export async function select(search: Search, parameters: Parameters, caller: Caller): Promise<SearchResults> {
  const { q, clazz, sid } = parameters
  if (typeof q !== 'string' || q.trim() === '')
    throw errors.invalidQuery("The parameter 'q', the search text, is missing.")
  const keys = parseSortKeys(parameters.order, parameters.sort)
  const identity = [q, className(clazz) ?? '', JSON.stringify(keys)]
  const cursor = sid === undefined || sid === null || sid === '' ? null : readCursor(sid, identity, Date.now())
  const query = parseQuery(q)
  const open = await classesOf(search, clazz, caller)
  checkFields(query, open)
  const classes = open.map(({ schema, index }) => ({
    schema,
    index,
    compiled: compileQuery(query, {
      objects: search.objects,
      schema,
      caller,
      fields: visibleWordFields(schema, index, caller),
    }),
  }))
  const show = shower(search, classes, parameters, query, caller)
  const found = { keys, limit: pageSize(parameters.limit), skip: cursor ? 0 : parseSkip(parameters.skip), cursor }
  return showPage(search, classes, found, identity, show, caller)
}

/** Formats rows as results. Highlights are computed after the slot for large results is released. */
type Show = (rows: readonly Row[], room: ResultRoom) => Promise<string[]>

async function showPage(
  search: Search,
  classes: readonly SearchedClass[],
  query: { keys: readonly SortKey[]; limit: number; skip: number; cursor: ReturnType<typeof readCursor> | null },
  identity: readonly string[],
  show: Show,
  caller: Caller,
): Promise<SearchResults> {
  if (classes.length === 0) return { hits: 0, results: [], sid: null }
  const { rows, hits, weights, newest, results } = await search.objects.results.withRoom(
    caller.origin?.principal,
    async (room) => {
      const page = await findPage(search, classes, query, caller, room)
      return { ...page, results: await show(page.rows, room) }
    },
  )
  const last = rows[results.length - 1]
  if (!last) return { hits, results, sid: null }
  const position = {
    weights: query.cursor?.weights ?? weights,
    newest: query.cursor?.newest ?? newest!,
    values: query.keys.map((_, index) => text.orNull(`k${index}`)(last)),
    id: text('id')(last),
    place: number('class')(last),
  }
  return { hits, results, sid: writeCursor(position, identity, Date.now()) }
}

/** A class with its index. */
export interface OpenClass {
  readonly schema: ClassSchema
  readonly index: SearchIndex
}

/**
 * Returns the named class, or all searchable classes that the caller may query.
 * @throws ApiError 101, 102 when the class is not searchable, 403 when it denies `find` to the caller
 */
export async function classesOf(search: Search, clazz: Json | undefined, caller: Caller): Promise<OpenClass[]> {
  const name = className(clazz)
  if (name !== null) {
    const schema = search.objects.classes.get(name) ?? (await search.objects.classes.find(name))
    checkPermission(name, schema.permissions, 'find', caller)
    const index = searchedFields(schema).length > 0 ? await search.indexes.of(schema) : undefined
    if (!index) throw errors.invalidQuery(`No field of the class '${name}' is enabled for search.`)
    return [{ schema, index }]
  }
  const switchedOn = search.objects.classes
    .all()
    .filter((schema) => searchedFields(schema).length > 0 && mayDo(schema.permissions, 'find', caller))
  if (switchedOn.length > MAX_CLASSES)
    throw errors.invalidQuery(`A search covers at most ${MAX_CLASSES} classes; name one with the parameter 'clazz'.`)
  const indexes = await Promise.all(
    switchedOn.map(async (schema) => ({ schema, index: await search.indexes.of(schema) })),
  )
  return indexes.flatMap(({ schema, index }) => (index ? [{ schema, index }] : []))
}

function className(clazz: Json | undefined): string | null {
  return clazz === undefined || clazz === null || clazz === '' ? null : checkClassName(clazz)
}

/** Returns the fields in which the caller may search for words, with their numbers. Hidden fields are for the master key only. */
export function visibleWordFields(schema: ClassSchema, index: SearchIndex, caller: Caller): Map<string, number> {
  return new Map([...wordFields(schema, index)].filter(([name]) => isVisible(schema, name, caller)))
}

/** Checks that every field of a query is searchable in one of the classes. @throws ApiError 102 */
function checkFields(query: Query, classes: readonly OpenClass[]): void {
  if (classes.length === 0) return
  for (const name of new Set(namedFields(query))) {
    if (isSystemField(name) || classes.some(({ schema }) => schema.fields.get(name)?.options.searchable)) continue
    throw errors.invalidQuery(
      `The parameter 'q' uses the field '${name.slice(0, 80)}', which is not enabled for search.`,
    )
  }
}

function parseSkip(raw: Json | undefined): number {
  if (raw === undefined || raw === null || raw === '') return 0
  const skip = numberOf(raw)
  if (!Number.isInteger(skip) || skip < 0 || skip > 2 ** 31)
    throw errors.invalidQuery("The parameter 'skip' must be a whole number of 0 or more.")
  return skip
}

/** Returns a function that formats rows as results: the searchable fields, and the members that a search adds. */
export function shower(
  search: Search,
  classes: readonly OpenClass[],
  parameters: Parameters,
  query: Query | null,
  caller: Caller,
): Show {
  const view = parseView({ keys: parameters.fields ?? null, include: parameters.include ?? null })
  const views = classes.map(({ schema }) => viewOf(schema, view))
  const highlights = query && highlighter(classes, parameters.highlights, query, caller)
  return async (rows, room) => {
    const texts = await room.presentQueued(() => presentAll(search, classes, rows, views, caller))
    const shown = rows.slice(0, texts.length)
    const marked = highlights
      ? await inSlices(search.slices.requests, caller.origin?.principal ?? SERVER, highlights(shown))
      : null
    return texts.map((text, place) => {
      const row = rows[place]!
      const { name } = classes[classNumberOf(row)]!.schema
      const added = {
        className: name,
        _app_url: link(search.settings().appUrl, name, row),
        _deeplink: link(search.settings().deepLink, name, row),
        _highlight: marked?.[place] ?? null,
      }
      return `${text.slice(0, -1)},${JSON.stringify(added).slice(1)}`
    })
  }
}

/** Returns the objects as JSON texts, in the order of the rows, as many as fit into a response. */
async function presentAll(
  search: Search,
  classes: readonly OpenClass[],
  rows: readonly Row[],
  views: readonly View[],
  caller: Caller,
): Promise<string[]> {
  const texts = new Map<Row, string>()
  for (const [place, { schema }] of classes.entries()) {
    const ofClass = rows.filter((row) => classNumberOf(row) === place)
    const shown = await presentRows(search.objects, schema, ofClass, views[place]!, caller)
    for (const [index, text] of shown.entries()) texts.set(ofClass[index]!, text)
  }
  const missing = rows.findIndex((row) => !texts.has(row))
  return rows.slice(0, missing < 0 ? rows.length : missing).map((row) => texts.get(row)!)
}

/** Returns the view of a class: the requested fields that are searchable, and the pointers to include. */
function viewOf(schema: ClassSchema, { selection, include, acl }: View): View {
  const fields = searchedFields(schema).map(({ name }) => name)
  const wanted = selection?.included
  const included: Record<string, PathTree> = Object.fromEntries(
    fields.filter((name) => !wanted || Object.hasOwn(wanted, name)).map((name) => [name, wanted?.[name] ?? {}]),
  )
  for (const name of Object.keys(include ?? {})) if (!has(included, name)) included[name] = {}
  return { selection: { included, excluded: selection?.excluded ?? [] }, include, acl }
}

function link(prefix: string, name: string, row: Row): string | null {
  return prefix === '' ? null : `${prefix}/classes/${name}/${text('id')(row)}`
}

/**
 * Returns a generator of `_highlight` for each row, limited to fields in which the caller may search; null when no highlights are
 * requested.
 */
function highlighter(
  classes: readonly OpenClass[],
  wanted: Json | undefined,
  query: Query,
  caller: Caller,
): ((rows: readonly Row[]) => Generator<undefined, (object | null)[], undefined>) | null {
  if (typeof wanted !== 'string' || wanted.trim() === '') return null
  const names = new Set(wanted.split(',').map((name) => name.trim()))
  const isSearched = searchedWords(query)
  const fields = classes.map(({ schema, index }) =>
    [...visibleWordFields(schema, index, caller).keys()].filter((name) => names.has('*') || names.has(name)),
  )
  const cost = highlightCost(query)
  return function* (rows) {
    let left = MAX_HIGHLIGHTED
    const marked: (object | null)[] = []
    for (const row of rows) {
      if (left <= 0) break
      const data = dataOf(row)
      yield
      const shown: [name: string, fragments: string[]][] = []
      for (const name of fields[classNumberOf(row)]!) {
        const text = isJsonObject(data) ? textToHighlight(member(data, name)) : ''
        left -= text.length * cost
        const fragments = left > 0 && text !== '' ? yield* highlighted(name, text, isSearched) : null
        if (fragments) shown.push([name, fragments])
      }
      marked.push(shown.length > 0 ? Object.fromEntries(shown) : null)
    }
    return marked
  }
}

function textToHighlight(value: Json | undefined): string {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(' ')
  return typeof value === 'string' ? value : ''
}

/** The number of a row's class among the searched classes. */
const classNumberOf = number('class')
const dataOf = json<unknown>('data')
