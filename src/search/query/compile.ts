import { join, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { checkVisible } from '../../objects/classes/field-options.ts'
import { type ObjectStore, whereContext } from '../../objects/store.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import type { Json } from '../../values/json.ts'
import { quoted, wordLexeme } from '../indexing/document.ts'
import type { SearchIndex } from '../indexing/indexes.ts'
import { cutWords, indexed, isOneCharacter } from '../words.ts'
import type { Bound, Query, Term } from './tree.ts'
import { typedValue } from './typed-value.ts'
import { likePattern, similarWords } from './words-to-find.ts'

/** A query as it asks for the objects of one class. */
export interface CompiledQuery {
  /** Over a row of the class and its words. */
  readonly condition: Sql
  /** Values of type tsquery, each for a word or phrase that counts in the order. */
  readonly ranked: readonly RankedTerm[]
}

interface RankedTerm {
  readonly words: string
  readonly boost: number
}

/** What words a query looks for in a class, and for whom. */
export interface QueryContext {
  readonly objects: ObjectStore
  readonly schema: ClassSchema
  readonly index: SearchIndex
  readonly caller: Caller
  /** The fields that the caller may search for words, with their numbers in the index. */
  readonly fields: ReadonlyMap<string, number>
}

/** Words that are looked for in all, in all fields: each is a look at the index. */
const MAX_LEXEMES = 8000
/** Objects that have words similar to a fuzzy one. */
const MAX_SIMILAR = 20_000

/** Part of a condition: as a tsquery while it is about words alone, so that the index serves all of it; null: nothing is asked. */
type Part = { readonly words: string } | { readonly condition: Sql } | null

/**
 * @throws ApiError 102 for a wildcard without a beginning and what asks for too many words; 403 when a field is named that
 * the caller does not see
 */
export function compileQuery(query: Query, context: QueryContext): CompiledQuery {
  const compiler = new Compiler(context)
  const part = compiler.part(query, true)
  return { condition: conditionOf(part), ranked: compiler.ranked }
}

const NOTHING: Part = { condition: raw('FALSE') }

class Compiler {
  readonly ranked: RankedTerm[] = []
  readonly #context: QueryContext
  #lexemes = 0

  constructor(context: QueryContext) {
    this.#context = context
  }

  /** @param counts whether what is found by it counts in the order */
  part(query: Query, counts: boolean): Part {
    switch (query.kind) {
      case 'clauses':
        return this.#clauses(query, counts)
      case 'everything':
        return { condition: raw('TRUE') }
      case 'exists':
        return this.#where(query.field, { [query.field]: { $exists: true } })
      case 'range':
        return this.#range(query.field, query.from, query.to)
      default:
        return this.#term(query, counts)
    }
  }

  #clauses({ must, should, mustNot }: Extract<Query, { kind: 'clauses' }>, counts: boolean): Part {
    const asked = (queries: readonly Query[], counts: boolean) =>
      queries.map((query) => this.part(query, counts)).filter((part) => part !== null)
    const [all, any, none] = [asked(must, counts), asked(should, counts), asked(mustNot, false)]
    // A query of words that are none, such as '!?', finds nothing.
    if (all.length + any.length === 0 && must.length + should.length > 0) return null
    const positive = all.length > 0 ? all : any.length > 0 ? [either(any)] : []
    const parts = [...positive, ...none.map(negated)]
    return parts.length === 0 ? null : both(parts)
  }

  #term(term: Term, counts: boolean): Part {
    const { field } = term
    if (field === null) return this.#words(term, [...this.#context.fields.values()], counts)
    this.#checkVisible(field)
    const number = this.#context.fields.get(field)
    if (number !== undefined && this.#typeOf(field) !== 'Number' && this.#typeOf(field) !== 'Boolean')
      return this.#words(term, [number], counts)
    if (term.kind === 'wildcard') return NOTHING
    const value = this.#value(field, term.text)
    return value === undefined ? NOTHING : this.#where(field, { [field]: value })
  }

  /** What a term asks of fields: all of its words, in whatever of them; or a phrase, in one. */
  #words(term: Term, fields: readonly number[], counts: boolean): Part {
    if (term.kind === 'wildcard') return this.#wildcard(term, fields, counts)
    const words = cutWords(term.text).filter(({ inner }) => !inner)
    if (words.length === 0) return null
    if (fields.length === 0) return NOTHING
    const texts = words.map(({ text }) => text)
    if (term.kind === 'phrase') {
      const joint = term.near ? '&' : '<->'
      return this.#rankedPart(
        anyOf(fields.map((field) => `(${texts.map((text) => this.#lexeme(field, text)).join(joint)})`)),
        term,
        counts,
      )
    }
    const parts = texts.map((text) => {
      const exactly = anyOf(fields.map((field) => this.#lexeme(field, text)))
      if (term.kind === 'fuzzy') {
        if (counts) this.#rank(exactly, term)
        return this.#similar(text, fields)
      }
      // A single character is not what dictionaries cut texts into.
      if (isOneCharacter(text))
        return this.#rankedPart(anyOf(fields.map((field) => `${this.#lexeme(field, text)}:*`)), term, counts)
      return this.#rankedPart(exactly, term, counts)
    })
    return both(parts)
  }

  /** Each similar word is looked up by itself: as one condition the index would not be used for so many. */
  #similar(text: string, fields: readonly number[]): Part {
    const words = similarWords(text).map((word) => anyOf(fields.map((field) => this.#lexeme(field, word))))
    const { table } = this.#context.index
    return {
      condition: sql`object_id IN (
        SELECT similar_id
        FROM unnest(${words}::tsquery[]) AS similar_words
        CROSS JOIN LATERAL (SELECT object_id AS similar_id FROM ${table} WHERE words @@ similar_words) AS having_it
        LIMIT ${raw(String(MAX_SIMILAR))})`,
    }
  }

  #wildcard(term: Extract<Term, { kind: 'wildcard' }>, fields: readonly number[], counts: boolean): Part {
    const { parts, signs } = term
    const beginning = indexed(parts[0]!)
    if (beginning === '')
      throw errors.invalidQuery("The parameter 'q' has a word that begins with a wildcard; put a letter before it.")
    if (fields.length === 0) return NOTHING
    if (signs.length === 1 && signs[0] === '*' && parts[1] === '')
      return this.#beginning(parts[0]!, term, fields, counts)
    const begins = anyOf(fields.map((field) => `${this.#lexeme(field, beginning)}:*`))
    if (counts) this.#rank(begins, term)
    const patterns = fields.map((field) => likePattern(wordLexeme(field, ''), parts, signs))
    return both([
      { words: begins },
      {
        condition: sql`EXISTS (
          SELECT FROM unnest(tsvector_to_array(words)) AS lexeme WHERE lexeme LIKE ANY (${patterns}::text[]))`,
      },
    ])
  }

  /** Words, and behind them one that begins so. */
  #beginning(text: string, term: Term, fields: readonly number[], counts: boolean): Part {
    const words = cutWords(text).filter(({ inner }) => !inner)
    const last = words.pop()
    if (!last || last.end !== text.length) return NOTHING
    const anywhere = (word: string, sign: string) => anyOf(fields.map((field) => this.#lexeme(field, word) + sign))
    const asked = [...words.map((word) => anywhere(word.text, '')), anywhere(last.text, ':*')]
    return both(asked.map((lexemes) => this.#rankedPart(lexemes, term, counts)))
  }

  #range(field: string, from: Bound | null, to: Bound | null): Part {
    this.#checkVisible(field)
    const bounds: Record<string, Json> = {}
    for (const [bound, inclusive, exclusive] of [
      [from, '$gte', '$gt'],
      [to, '$lte', '$lt'],
    ] as const) {
      if (bound === null) continue
      const value = this.#value(field, bound.value)
      if (value === undefined || typeof value === 'boolean' || this.#typeOf(field) === 'Pointer') return NOTHING
      bounds[bound.inclusive ? inclusive : exclusive] = value
    }
    return this.#where(field, { [field]: Object.keys(bounds).length > 0 ? bounds : { $exists: true } })
  }

  /** A text as a value of the field; undefined when it is none, or the field is not switched on. */
  #value(field: string, text: string): Json | undefined {
    if (!this.#isSearched(field)) return undefined
    return typedValue(field, this.#context.schema.fields.get(field)?.type, text)
  }

  #where(field: string, wire: Json): Part {
    this.#checkVisible(field)
    if (!this.#isSearched(field)) return NOTHING
    const { objects, schema, caller } = this.#context
    return { condition: whereToSql(parseWhere(wire), schema.name, whereContext(objects, caller)) }
  }

  #isSearched(field: string): boolean {
    return isSystemField(field) || this.#context.schema.fields.get(field)?.options.searchable === true
  }

  #checkVisible(field: string): void {
    checkVisible(this.#context.schema, field, this.#context.caller)
  }

  #typeOf(field: string): string | undefined {
    return this.#context.schema.fields.get(field)?.type.type
  }

  #rankedPart(words: string, { boost }: Term, counts: boolean): Part {
    if (counts) this.ranked.push({ words, boost })
    return { words }
  }

  #rank(words: string, { boost }: Term): void {
    this.ranked.push({ words, boost })
  }

  #lexeme(field: number, word: string): string {
    if (++this.#lexemes > MAX_LEXEMES)
      throw errors.invalidQuery(
        `The parameter 'q' asks for more than ${MAX_LEXEMES} words; name fields, or fewer fuzzy words.`,
      )
    return quoted(wordLexeme(field, word))
  }
}

/** Whether every object has it, and it can be searched by always. */
export function isSystemField(field: string): boolean {
  return field === 'objectId' || field === 'createdAt' || field === 'updatedAt'
}

function anyOf(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `(${words.join('|')})`
}

function conditionOf(part: Part): Sql {
  if (part === null) return raw('FALSE')
  return 'words' in part ? sql`words @@ ${part.words}::tsquery` : part.condition
}

function both(parts: readonly Part[]): Part {
  const [words, conditions] = divided(parts)
  if (conditions.length === 0) return { words: words.length === 1 ? words[0]! : `(${words.join('&')})` }
  const all = [...(words.length > 0 ? [conditionOf({ words: words.join('&') })] : []), ...conditions]
  return { condition: sql`(${join(all, ' AND ')})` }
}

function either(parts: readonly Part[]): Part {
  const [words, conditions] = divided(parts)
  if (conditions.length === 0) return { words: anyOf(words) }
  const all = [...(words.length > 0 ? [conditionOf({ words: anyOf(words) })] : []), ...conditions]
  return { condition: sql`(${join(all, ' OR ')})` }
}

function negated(part: Part): Part {
  if (part !== null && 'words' in part) return { words: `!(${part.words})` }
  return { condition: sql`NOT COALESCE(${conditionOf(part)}, FALSE)` }
}

function divided(parts: readonly Part[]): [string[], Sql[]] {
  return [
    parts.flatMap((part) => (part !== null && 'words' in part ? [part.words] : [])),
    parts.flatMap((part) => (part !== null && 'condition' in part ? [part.condition] : [])),
  ]
}
