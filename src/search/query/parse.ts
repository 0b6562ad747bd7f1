import { errors } from '../../errors.ts'
import { storableText } from '../../values/json.ts'
import { isKeyName } from '../../values/names.ts'
import type { Bound, Query, Term } from './tree.ts'

/** Maximum characters of a query string. */
const MAX_LENGTH = 2000
/** Maximum depth of nested parentheses. */
const MAX_DEPTH = 20
/** Maximum number of terms, phrases and ranges. */
const MAX_TERMS = 64

/** Characters that end a word unless they are escaped with a backslash. */
const ENDS_WORD = /[\s()[\]{}"^~:]/u

/**
 * Parses a query string (protocol/search, Query strings).
 * @example
 * parseQuery('title:"full text" AND score:[1 TO 5] -draft')
 * @throws ApiError 102 with the position of the error
 */
export function parseQuery(text: string): Query {
  if (text.length > MAX_LENGTH)
    throw errors.invalidQuery(`The parameter 'q' must have at most ${MAX_LENGTH} characters.`)
  return new QueryReader(storableText(text)).read()
}

/** One of several adjacent clauses. */
interface Clause {
  occurs: 'must' | 'should' | 'mustNot'
  readonly query: Query
}

class QueryReader {
  readonly #text: string
  #at = 0
  #depth = 0
  #terms = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Query {
    const query = this.#clauses(null)
    if (this.#at < this.#text.length) this.#fail(`unexpected '${this.#next}'`)
    return query
  }

  /** Parses clauses up to the end or a closing parenthesis. */
  #clauses(field: string | null): Query {
    const clauses: Clause[] = []
    for (;;) {
      this.#skipSpace()
      if (this.#at === this.#text.length || this.#next === ')') break
      const joint = this.#joint()
      if (joint && clauses.length === 0) this.#fail(`expected a term before '${joint}'`)
      const occurs = this.#modifier()
      const query = this.#clause(field)
      // As in the query language, AND requires the clauses on both sides.
      const previous = clauses.at(-1)
      if (joint === 'AND' && previous?.occurs === 'should') previous.occurs = 'must'
      clauses.push({ occurs: occurs ?? (joint === 'AND' ? 'must' : 'should'), query })
    }
    if (clauses.length === 0) this.#fail('expected a word')
    const [only] = clauses
    if (clauses.length === 1 && only!.occurs !== 'mustNot') return only!.query
    const of = (occurs: Clause['occurs']) =>
      clauses.filter((clause) => clause.occurs === occurs).map(({ query }) => query)
    return { kind: 'clauses', must: of('must'), should: of('should'), mustNot: of('mustNot') }
  }

  #joint(): 'AND' | 'OR' | null {
    if (this.#takesWord('AND') || this.#takes('&&')) return 'AND'
    return this.#takesWord('OR') || this.#takes('||') ? 'OR' : null
  }

  #modifier(): 'must' | 'mustNot' | null {
    this.#skipSpace()
    if (this.#takes('+')) return 'must'
    return this.#takes('-') || this.#takes('!') || this.#takesWord('NOT') ? 'mustNot' : null
  }

  #clause(outer: string | null): Query {
    this.#skipSpace()
    const field = this.#field() ?? outer
    if (field === '_exists_' || field === '_missing_') return this.#presence(field)
    if (this.#takes('(')) return this.#group(field)
    if (++this.#terms > MAX_TERMS) throw errors.invalidQuery(`The parameter 'q' must have at most ${MAX_TERMS} terms.`)
    if (this.#next === '[' || this.#next === '{') return this.#range(field)
    if (this.#next === '<' || this.#next === '>') return this.#comparison(field)
    if (this.#takes('"')) return this.#phrase(field)
    return this.#word(field)
  }

  #group(field: string | null): Query {
    if (++this.#depth > MAX_DEPTH) this.#fail(`parentheses must be nested at most ${MAX_DEPTH} levels deep`)
    const query = this.#clauses(field)
    if (!this.#takes(')')) this.#fail("')' is missing")
    this.#depth--
    return boosted(query, this.#boost())
  }

  /** Parses a field name and a colon, if present. */
  #field(): string | null {
    const [match, name] = /^(\*|[\p{L}\p{N}_.-]+):/u.exec(this.#text.slice(this.#at, this.#at + 200)) ?? []
    if (match === undefined || name === undefined) return null
    if (name !== '*' && !isKeyName(name)) this.#fail(`'${name.slice(0, 80)}' is not a valid field name`)
    this.#at += match.length
    this.#skipSpace()
    return name === '*' ? null : name
  }

  #presence(which: '_exists_' | '_missing_'): Query {
    const name = this.#characters().text
    if (!isKeyName(name)) this.#fail('expected a field name')
    const exists: Query = { kind: 'exists', field: name }
    return which === '_exists_' ? exists : { kind: 'clauses', must: [], should: [], mustNot: [exists] }
  }

  #phrase(field: string | null): Term {
    const text = this.#quoted()
    const near = this.#takes('~') && this.#number() !== 0
    return { kind: 'phrase', field, text, near, boost: this.#boost() }
  }

  #range(field: string | null): Query {
    const fromInclusive = this.#take() === '['
    const from = this.#bound(fromInclusive)
    this.#skipSpace()
    if (!this.#takesWord('TO')) this.#fail("expected 'TO' between the ends of a range")
    const to = this.#bound(true)
    this.#skipSpace()
    const end = this.#take()
    if (end !== ']' && end !== '}') this.#fail("']' or '}' is missing at the end of a range")
    this.#boost()
    if (field === null) this.#fail('a range needs a field, as in score:[1 TO 5]')
    return { kind: 'range', field, from, to: to && { ...to, inclusive: end === ']' } }
  }

  #bound(inclusive: boolean): Bound | null {
    this.#skipSpace()
    if (this.#takes('"')) return { value: this.#quoted(), inclusive }
    const [value] = /^[^\s\]}]+/u.exec(this.#text.slice(this.#at)) ?? []
    if (value === undefined) this.#fail('expected an end of the range')
    this.#at += value.length
    return value === '*' ? null : { value, inclusive }
  }

  #comparison(field: string | null): Query {
    const sign = this.#take()
    const bound = this.#bound(this.#takes('='))
    if (field === null) this.#fail(`'${sign}' needs a field, as in score:>5`)
    return { kind: 'range', field, from: sign === '>' ? bound : null, to: sign === '<' ? bound : null }
  }

  #word(field: string | null): Query {
    const { text, parts, signs } = this.#characters()
    if (signs.length > 0) {
      const boost = this.#boost()
      if (signs.every((sign) => sign === '*') && parts.every((part) => part === ''))
        return field === null ? { kind: 'everything' } : { kind: 'exists', field }
      return { kind: 'wildcard', field, parts, signs, boost }
    }
    if (text === '') this.#fail('expected a word')
    const fuzzy = this.#takes('~') && this.#number() !== 0
    return { kind: fuzzy ? 'fuzzy' : 'text', field, text, boost: this.#boost() }
  }

  /** Parses the characters of a word. */
  #characters(): { text: string; parts: string[]; signs: ('*' | '?')[] } {
    if (this.#next === '/') this.#fail("regular expressions are not supported; put a backslash before '/'")
    const parts = ['']
    const signs: ('*' | '?')[] = []
    while (this.#at < this.#text.length && !ENDS_WORD.test(this.#next)) {
      const character = this.#take()
      if (character === '*' || character === '?') {
        signs.push(character)
        parts.push('')
      } else parts[parts.length - 1] += character === '\\' ? this.#escaped() : character
    }
    return { text: parts.join(''), parts, signs }
  }

  #quoted(): string {
    let text = ''
    for (;;) {
      if (this.#at === this.#text.length) this.#fail(`a closing '"' is missing`)
      const character = this.#take()
      if (character === '"') return text
      text += character === '\\' ? this.#escaped() : character
    }
  }

  #escaped(): string {
    if (this.#at === this.#text.length) this.#fail('expected a character after the backslash')
    return this.#take()
  }

  /** Parses a boost. @returns 1 when there is no `^` */
  #boost(): number {
    if (!this.#takes('^')) return 1
    const boost = this.#number()
    if (boost === null || boost > 1000) this.#fail("expected a number from 0 to 1000 after '^'")
    return boost
  }

  #number(): number | null {
    const [digits] = /^\d{1,6}(\.\d{1,6})?/.exec(this.#text.slice(this.#at, this.#at + 16)) ?? []
    if (digits === undefined) return null
    this.#at += digits.length
    return Number(digits)
  }

  get #next(): string {
    return this.#text.charAt(this.#at)
  }

  #take(): string {
    return this.#text.charAt(this.#at++)
  }

  #takes(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  #takesWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at) || !/[\s()+!"[{-]|^$/u.test(this.#text.charAt(this.#at + word.length)))
      return false
    this.#at += word.length
    return true
  }

  #skipSpace(): void {
    while (/\s/u.test(this.#next)) this.#at++
  }

  #fail(what: string): never {
    throw errors.invalidQuery(`The parameter 'q' is invalid at character ${this.#at + 1}: ${what}.`)
  }
}

/** Multiplies the boosts in a group by the boost of the group. */
function boosted(query: Query, boost: number): Query {
  if (boost === 1) return query
  switch (query.kind) {
    case 'clauses': {
      const all = (queries: readonly Query[]) => queries.map((part) => boosted(part, boost))
      return { ...query, must: all(query.must), should: all(query.should) }
    }
    case 'range':
    case 'exists':
    case 'everything':
      return query
    default:
      return { ...query, boost: query.boost * boost }
  }
}
