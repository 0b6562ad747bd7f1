import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { checkVisible } from '../../objects/classes/field-options.ts'
import { type ObjectStore, whereContext } from '../../objects/store.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import type { Json } from '../../values/json.ts'
import { wordLexeme } from '../indexing/document.ts'
import { cutWords, indexed, isOneCharacter } from '../words.ts'
import { type Asked, all, any, EVERYTHING, NOTHING } from './asked.ts'
import type { Bound, Query, Term } from './tree.ts'
import { typedValue } from './typed-value.ts'
import { similarWords } from './words-to-find.ts'

/** A query as it asks for the objects of one class. */
export interface CompiledQuery {
  readonly asked: Asked
  /** Each a word or phrase that counts in the order. */
  readonly ranked: readonly RankedTerm[]
}

export interface RankedTerm {
  /** Of words alone. */
  readonly words: Asked
  readonly boost: number
}

/** What words a query looks for in a class, and for whom. */
export interface QueryContext {
  readonly objects: ObjectStore
  readonly schema: ClassSchema
  readonly caller: Caller
  /** The fields that the caller may search for words, with their numbers in the index. */
  readonly fields: ReadonlyMap<string, number>
}

/** Words that are looked for in all, in all fields: each is a look at the index. */
const MAX_LEXEMES = 8000

/** null: nothing is asked. */
type Part = Asked | null

/**
 * @throws ApiError 102 for a wildcard without a beginning and what asks for too many words; 403 when a field is named that
 * the caller does not see
 */
export function compileQuery(query: Query, context: QueryContext): CompiledQuery {
  const compiler = new Compiler(context)
  return { asked: compiler.part(query, true) ?? NOTHING, ranked: compiler.ranked }
}

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
        return EVERYTHING
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
    const [required, optional, excluded] = [asked(must, counts), asked(should, counts), asked(mustNot, false)]
    // A query of words that are none, such as '!?', finds nothing.
    if (required.length + optional.length === 0 && must.length + should.length > 0) return null
    const positive = required.length > 0 ? required : optional.length > 0 ? [any(optional)] : []
    const parts = [...positive, ...excluded.map((of): Asked => ({ kind: 'not', of }))]
    return parts.length === 0 ? null : all(parts)
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
      const inField = (field: number) =>
        this.#together(
          texts.map((text) => this.#lexeme(field, text)),
          term.near,
        )
      return this.#rankedPart(any(fields.map(inField)), term, counts)
    }
    const parts = texts.map((text) => {
      if (term.kind === 'fuzzy') {
        if (counts) this.#rank(this.#anywhere(text, fields), term)
        const words = similarWords(text).map((word) => fields.map((field) => this.#lexeme(field, word)))
        return { kind: 'alike', words } as const
      }
      // A single character is not what dictionaries cut texts into.
      const sought = isOneCharacter(text) ? this.#beginnings(text, fields) : this.#anywhere(text, fields)
      return this.#rankedPart(sought, term, counts)
    })
    return all(parts)
  }

  #together(words: readonly string[], near: boolean): Asked {
    if (words.length > 1 && !near) return { kind: 'sequence', words }
    return all(words.map((word) => ({ kind: 'word', word })))
  }

  #anywhere(text: string, fields: readonly number[]): Asked {
    return any(fields.map((field) => ({ kind: 'word', word: this.#lexeme(field, text) })))
  }

  #beginnings(text: string, fields: readonly number[]): Asked {
    return any(fields.map((field) => ({ kind: 'beginning', beginning: this.#lexeme(field, text) })))
  }

  #wildcard(term: Extract<Term, { kind: 'wildcard' }>, fields: readonly number[], counts: boolean): Part {
    const { parts, signs } = term
    const beginning = indexed(parts[0]!)
    if (beginning === '')
      throw errors.invalidQuery("The parameter 'q' has a word that begins with a wildcard; put a letter before it.")
    if (fields.length === 0) return NOTHING
    if (signs.length === 1 && signs[0] === '*' && parts[1] === '')
      return this.#wordsAndBeginning(parts[0]!, term, fields, counts)
    if (counts) this.#rank(this.#beginnings(beginning, fields), term)
    const beginnings = fields.map((field) => this.#lexeme(field, beginning))
    return { kind: 'pattern', beginnings, parts: parts.slice(1).map(indexed), signs }
  }

  /** Words, and behind them one that begins so. */
  #wordsAndBeginning(text: string, term: Term, fields: readonly number[], counts: boolean): Part {
    const words = cutWords(text).filter(({ inner }) => !inner)
    const last = words.pop()
    if (!last || last.end !== text.length) return NOTHING
    const sought = [...words.map((word) => this.#anywhere(word.text, fields)), this.#beginnings(last.text, fields)]
    return all(sought.map((words) => this.#rankedPart(words, term, counts)))
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
    return { kind: 'condition', sql: whereToSql(parseWhere(wire), schema.name, whereContext(objects, caller)) }
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

  #rankedPart(words: Asked, term: Term, counts: boolean): Asked {
    if (counts) this.#rank(words, term)
    return words
  }

  #rank(words: Asked, { boost }: Term): void {
    this.ranked.push({ words, boost })
  }

  #lexeme(field: number, word: string): string {
    if (++this.#lexemes > MAX_LEXEMES)
      throw errors.invalidQuery(
        `The parameter 'q' asks for more than ${MAX_LEXEMES} words; name fields, or fewer fuzzy words.`,
      )
    return wordLexeme(field, word)
  }
}

/** Whether every object has it, and it can be searched by always. */
export function isSystemField(field: string): boolean {
  return field === 'objectId' || field === 'createdAt' || field === 'updatedAt'
}
