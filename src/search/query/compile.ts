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
import { all, any, type ClassQuery, EVERYTHING, NOTHING } from './class-query.ts'
import type { Bound, Query, Term } from './tree.ts'
import { typedValue } from './typed-value.ts'
import { similarWords } from './words-to-find.ts'

/** A query compiled for one class. */
export interface CompiledQuery {
  readonly query: ClassQuery
  /** Words and phrases that affect the ranking. */
  readonly ranked: readonly RankedTerm[]
}

export interface RankedTerm {
  /** Consists of words alone. */
  readonly words: ClassQuery
  readonly boost: number
}

/** The class and caller for which a query is compiled. */
export interface QueryContext {
  readonly objects: ObjectStore
  readonly schema: ClassSchema
  readonly caller: Caller
  /** Fields in which the caller may search for words, with their numbers in the index. */
  readonly fields: ReadonlyMap<string, number>
}

/** Maximum index lookups of a query, over all words and fields. */
const MAX_LEXEMES = 8000

/** null: the part contains no words. */
type Part = ClassQuery | null

/**
 * Compiles a query for a class.
 * @throws ApiError 102 for a wildcard without a prefix and for too many words; 403 for a field that is hidden from the caller
 */
export function compileQuery(query: Query, context: QueryContext): CompiledQuery {
  const compiler = new Compiler(context)
  return { query: compiler.part(query, true) ?? NOTHING, ranked: compiler.ranked }
}

class Compiler {
  readonly ranked: RankedTerm[] = []
  readonly #context: QueryContext
  #lexemes = 0

  constructor(context: QueryContext) {
    this.#context = context
  }

  /** Compiles a part of a query. @param counts whether its matches affect the ranking */
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
    const compiled = (queries: readonly Query[], counts: boolean) =>
      queries.map((query) => this.part(query, counts)).filter((part) => part !== null)
    const [required, optional, excluded] = [compiled(must, counts), compiled(should, counts), compiled(mustNot, false)]
    // A query without any words, such as '!?', matches nothing.
    if (required.length + optional.length === 0 && must.length + should.length > 0) return null
    const positive = required.length > 0 ? required : optional.length > 0 ? [any(optional)] : []
    const parts = [...positive, ...excluded.map((of): ClassQuery => ({ kind: 'not', of }))]
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

  /** Compiles a term for fields. All words of a text must match, in any of the fields; a phrase must match in one field. */
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
      // Dictionaries rarely cut texts into single characters, so one matches all words that begin with it.
      const queries = isOneCharacter(text) ? this.#beginnings(text, fields) : this.#anywhere(text, fields)
      return this.#rankedPart(queries, term, counts)
    })
    return all(parts)
  }

  #together(words: readonly string[], near: boolean): ClassQuery {
    if (words.length > 1 && !near) return { kind: 'sequence', words }
    return all(words.map((word) => ({ kind: 'word', word })))
  }

  #anywhere(text: string, fields: readonly number[]): ClassQuery {
    return any(fields.map((field) => ({ kind: 'word', word: this.#lexeme(field, text) })))
  }

  #beginnings(text: string, fields: readonly number[]): ClassQuery {
    return any(fields.map((field) => ({ kind: 'beginning', beginning: this.#lexeme(field, text) })))
  }

  #wildcard(term: Extract<Term, { kind: 'wildcard' }>, fields: readonly number[], counts: boolean): Part {
    const { parts, signs } = term
    const beginning = indexed(parts[0]!)
    if (beginning === '') throw errors.invalidQuery("Words in the parameter 'q' must not begin with a wildcard.")
    if (fields.length === 0) return NOTHING
    if (signs.length === 1 && signs[0] === '*' && parts[1] === '')
      return this.#wordsAndBeginning(parts[0]!, term, fields, counts)
    if (counts) this.#rank(this.#beginnings(beginning, fields), term)
    const beginnings = fields.map((field) => this.#lexeme(field, beginning))
    return { kind: 'pattern', beginnings, parts: parts.slice(1).map(indexed), signs }
  }

  /** Compiles words, of which the last is a prefix. */
  #wordsAndBeginning(text: string, term: Term, fields: readonly number[], counts: boolean): Part {
    const words = cutWords(text).filter(({ inner }) => !inner)
    const last = words.pop()
    if (!last || last.end !== text.length) return NOTHING
    const queries = [...words.map((word) => this.#anywhere(word.text, fields)), this.#beginnings(last.text, fields)]
    return all(queries.map((words) => this.#rankedPart(words, term, counts)))
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

  /** Converts a text to a value of the field; undefined when it is not valid, or the field is not searchable. */
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

  #rankedPart(words: ClassQuery, term: Term, counts: boolean): ClassQuery {
    if (counts) this.#rank(words, term)
    return words
  }

  #rank(words: ClassQuery, { boost }: Term): void {
    this.ranked.push({ words, boost })
  }

  #lexeme(field: number, word: string): string {
    if (++this.#lexemes > MAX_LEXEMES)
      throw errors.invalidQuery(
        `The parameter 'q' expands to more than ${MAX_LEXEMES} words; name fields, or use fewer fuzzy words.`,
      )
    return wordLexeme(field, word)
  }
}

/** Returns whether a field exists on every object and is always searchable. */
export function isSystemField(field: string): boolean {
  return field === 'objectId' || field === 'createdAt' || field === 'updatedAt'
}
