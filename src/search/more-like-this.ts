import { number } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { join, raw, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type Parameters, pageSize } from '../objects/query-parameters.ts'
import { readableRows } from '../objects/store.ts'
import { inSlices } from '../scheduling/in-slices.ts'
import { SERVER } from '../scheduling/principal.ts'
import { type Json, numberOf, storableText } from '../values/json.ts'
import { isObjectId } from '../values/names.ts'
import { candidatesOf } from './execution/candidates.ts'
import { findPage } from './find-page.ts'
import { wordLexeme } from './indexing/document.ts'
import { fieldText } from './indexing/field-text.ts'
import { BY_SCORE } from './order.ts'
import { any } from './query/class-query.ts'
import { compileQuery } from './query/compile.ts'
import type { Query } from './query/tree.ts'
import type { Search } from './search.ts'
import { classesOf, type OpenClass, shower, visibleWordFields } from './select.ts'
import { wordsOf } from './words.ts'

/** Maximum characters of `like`, and maximum objects in `likeObjectIds`. */
const MAX_LIKE = 10_000
const MAX_OBJECTS = 20
/** Characters that are cut into words per request. */
const MAX_CHARACTERS = 100_000
/** Characters that are read per request, and minimum characters of each text. */
const MAX_READ = 5 * MAX_CHARACTERS
const MIN_READ = 100
/** Maximum words that are searched for; the most frequent are used. */
const MAX_WORDS = 25
/** Maximum number of objects up to which the objects with a word are counted. */
const MAX_COUNTED = 1000

/**
 * Finds objects that have words in common with a text, or with objects that the caller may read (protocol/search, More like
 * this).
 * @returns JSON texts, the most similar first
 * @throws ApiError 101, 102, 124, 403 as `select`
 */
export async function moreLikeThis(search: Search, parameters: Parameters, caller: Caller): Promise<readonly string[]> {
  const ids = listOf('likeObjectIds', parameters.likeObjectIds)
  const { like } = parameters
  if (ids.length === 0 && (typeof like !== 'string' || like.trim() === ''))
    throw errors.invalidQuery("The parameter 'like' or 'likeObjectIds' is missing.")
  if (typeof like === 'string' && like.length > MAX_LIKE)
    throw errors.invalidQuery(`The parameter 'like' must have at most ${MAX_LIKE} characters.`)
  if (ids.length > MAX_OBJECTS || !ids.every(isObjectId))
    throw errors.invalidQuery(`The parameter 'likeObjectIds' must be at most ${MAX_OBJECTS} ids separated by commas.`)
  const bounds = boundsOf(parameters)
  const skip = integerOf('skip', parameters.skip, 0, 2 ** 31)
  const wanted = new Set(listOf('fields', parameters.fields))
  const classes = (await classesOf(search, parameters.clazz, caller)).map(({ schema, index }) => ({
    schema,
    index,
    fields: new Map(
      [...visibleWordFields(schema, index, caller)].filter(([name]) => wanted.size === 0 || wanted.has(name)),
    ),
  }))
  const texts = ids.length > 0 ? await textsOf(search, classes, ids, caller) : [storableText(like as string)]
  const principal = caller.origin?.principal ?? SERVER
  const candidates = await inSlices(
    search.slices.requests,
    principal,
    frequentWords(withinBudget(texts), bounds.minTermFrequency),
  )
  const words = await inBounds(search, classes, candidates, bounds, caller)
  if (words.length === 0) return []
  const query = likeness(words, ids)
  const searched = classes.map(({ schema, index, fields }) => ({
    schema,
    index,
    compiled: compileQuery(query, { objects: search.objects, schema, caller, fields }),
  }))
  const page = { keys: BY_SCORE, limit: pageSize(parameters.limit), skip, cursor: null }
  const show = shower(search, searched, { include: parameters.include ?? null }, null, caller)
  return search.objects.results.withRoom(caller.origin?.principal, async (room) => {
    const { rows } = await findPage(search, searched, page, caller, room)
    return show(rows, room)
  })
}

interface LikeClass extends OpenClass {
  readonly fields: ReadonlyMap<string, number>
}

interface FrequencyBounds {
  readonly minTermFrequency: number
  readonly minDocuments: number
  readonly maxDocuments: number
}

function boundsOf(parameters: Parameters): FrequencyBounds {
  return {
    minTermFrequency: integerOf('min_term_freq', parameters.min_term_freq, 2, MAX_LIKE),
    minDocuments: integerOf('min_doc_freq', parameters.min_doc_freq, 5, MAX_COUNTED),
    // As in the query language of the search, omitting it means no maximum.
    maxDocuments: integerOf('max_doc_freq', parameters.max_doc_freq, Number.POSITIVE_INFINITY, MAX_COUNTED),
  }
}

function integerOf(name: string, raw: Json | undefined, otherwise: number, max: number): number {
  if (raw === undefined || raw === null || raw === '') return otherwise
  const value = numberOf(raw)
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw errors.invalidQuery(`The parameter '${name}' must be a whole number from 0 to ${max}.`)
  return value
}

function listOf(name: string, raw: Json | undefined): string[] {
  if (raw === undefined || raw === null || raw === '') return []
  const list = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : null
  if (!list?.every((item) => typeof item === 'string') || list.length > 1000)
    throw errors.invalidQuery(`The parameter '${name}' must be a list separated by commas.`)
  return list.map((item) => (item as string).trim()).filter((item) => item !== '')
}

/** Returns the texts of the objects that the caller may read. */
async function textsOf(
  search: Search,
  classes: readonly LikeClass[],
  ids: readonly string[],
  caller: Caller,
): Promise<string[]> {
  const texts: string[] = []
  const inAll = ids.length * classes.reduce((sum, { fields }) => sum + fields.size, 0)
  const maxCharacters = Math.min(MAX_LIKE, Math.max(MIN_READ, Math.floor(MAX_READ / Math.max(inAll, 1))))
  for (const { schema, fields } of classes) {
    if (fields.size === 0) continue
    const columns = [...fields.keys()].map(
      (name, index) => sql`${fieldText(schema.fields.get(name)!, maxCharacters)} AS ${raw(`text_${index}`)}`,
    )
    const { rows } = await search.objects.database.search(
      sql`
        SELECT ${join(columns, ', ')}
        FROM ${schema.table}
        WHERE id = ANY(${ids}::text[]) AND ${readableRows(search.objects, schema.name, caller)}`,
      caller.origin?.principal,
      sizeOfTexts,
    )
    for (const row of rows) texts.push(...Object.values(row).filter((text) => typeof text === 'string'))
  }
  return texts
}

function sizeOfTexts(row: Row): number {
  return Object.values(row).reduce((sum: number, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
}

/** Cuts texts so that together they fit into the budget. Short texts are kept whole; long ones are cut to equal shares. */
function withinBudget(texts: readonly string[]): string[] {
  let left = MAX_CHARACTERS
  const shares = new Map<number, number>()
  // From the shortest on: the unused rest of its share is left to longer texts.
  const byLength = [...texts.keys()].sort((a, b) => texts[a]!.length - texts[b]!.length)
  for (const [done, index] of byLength.entries()) {
    const share = Math.min(texts[index]!.length, Math.floor(left / (texts.length - done)))
    shares.set(index, share)
    left -= share
  }
  return texts.map((text, index) => text.slice(0, shares.get(index)))
}

/** Returns the most frequent words in descending order; ties keep the order of occurrence. Pauses after each word. */
function* frequentWords(texts: readonly string[], min: number): Generator<undefined, string[], undefined> {
  const times = new Map<string, number>()
  for (const text of texts) {
    for (const { text: word, inner } of wordsOf(text)) {
      if (!inner) times.set(word, (times.get(word) ?? 0) + 1)
      yield
    }
  }
  const mostFrequent: [word: string, count: number][] = []
  for (const [word, count] of times) {
    yield
    if (count < min || (mostFrequent.length === MAX_WORDS && count <= mostFrequent.at(-1)![1])) continue
    const index = mostFrequent.findIndex(([, other]) => other < count)
    mostFrequent.splice(index < 0 ? mostFrequent.length : index, 0, [word, count])
    if (mostFrequent.length > MAX_WORDS) mostFrequent.pop()
  }
  return mostFrequent.map(([word]) => word)
}

/** Returns the words whose number of readable objects is within the bounds. */
async function inBounds(
  search: Search,
  classes: readonly LikeClass[],
  words: readonly string[],
  { minDocuments, maxDocuments }: FrequencyBounds,
  caller: Caller,
): Promise<string[]> {
  const open = classes.filter(({ fields }) => fields.size > 0)
  if (words.length === 0 || open.length === 0) return []
  const mostFrequent = Number.isFinite(maxDocuments) ? maxDocuments + 1 : Math.max(minDocuments, 1)
  const counts = await Promise.all(
    words.map(async (word, index): Promise<Sql> => {
      const having = await Promise.all(open.map((searched) => rowsWith(search, searched, word, mostFrequent, caller)))
      return sql`SELECT ${raw(String(index))} AS place, count(*) AS objects FROM (${join(having, ' UNION ALL ')}) AS having_it`
    }),
  )
  const { rows } = await search.objects.database.search(
    sql`${join(counts, ' UNION ALL ')} ORDER BY place`,
    caller.origin?.principal,
  )
  return words.filter((_, index) => {
    const objects = number('objects')(rows[index]!)
    return objects >= minDocuments && objects <= maxDocuments
  })
}

/**
 * Returns a query with one row for each object of a class that contains a word and that the caller may read, at most `max` rows.
 */
async function rowsWith(search: Search, searched: LikeClass, word: string, max: number, caller: Caller): Promise<Sql> {
  const { schema, index, fields } = searched
  const anyWord = any([...fields.values()].map((field) => ({ kind: 'word', word: wordLexeme(field, word) })))
  const compiled = { query: anyWord, ranked: [] }
  const query = { schema, index, compiled, caller, limit: max, newest: null, isLengthKnown: false }
  const { from, condition } = await candidatesOf(search, query)
  return sql`(
    SELECT 1
    FROM ${from}
    JOIN ${schema.table} ON id = object_id
    WHERE ${condition} AND ${readableRows(search.objects, schema.name, caller)}
    LIMIT ${max}::bigint
  )`
}

function likeness(words: readonly string[], ids: readonly string[]): Query {
  return {
    kind: 'clauses',
    must: [],
    should: words.map((text) => ({ kind: 'phrase', field: null, text, near: false, boost: 1 })),
    mustNot: ids.map((id) => ({ kind: 'text', field: 'objectId', text: id, boost: 1 })),
  }
}
