import type { Json } from '../../values/json.ts'
import { syntaxError, type Token, tokensOf } from './tokens.ts'

/** Maximum nesting depth of parentheses, lists and inner queries. */
const MAX_DEPTH = 32

/** A read position in a CQL text. */
export class Cursor {
  /** The current time of the statement in ISO 8601, the same for every use. */
  readonly now = new Date().toISOString()
  readonly #text: string
  readonly #tokens: readonly Token[]
  readonly #values: readonly Json[]
  #next = 0
  #nextValue = 0
  #depth = 0

  /** @param values the values of the question marks, in order @throws ApiError 300 */
  constructor(text: string, values: readonly Json[]) {
    this.#text = text
    this.#tokens = tokensOf(text)
    this.#values = values
  }

  get token(): Token {
    return this.#tokens[this.#next]!
  }

  take(): Token {
    const { token } = this
    if (token.kind !== 'end') this.#next++
    return token
  }

  /** Consumes the sign or keyword if it is next, and returns whether it was. Keywords are case-insensitive. */
  takes(word: string): boolean {
    if (!this.isAt(word)) return false
    this.#next++
    return true
  }

  /** Consumes these words if they are next, in this order, and returns whether they were. */
  takesAll(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.isAt(word, index))) return false
    this.#next += words.length
    return true
  }

  /** Returns whether a sign or keyword is at a position. @param ahead how many tokens after the next one */
  isAt(word: string, ahead = 0): boolean {
    const token = this.#tokens[this.#next + ahead]
    return (token?.kind === 'sign' || token?.kind === 'name') && token.text.toLowerCase() === word.toLowerCase()
  }

  /** Consumes a sign or keyword. @throws ApiError 300 when another token is next */
  expect(word: string): void {
    if (!this.takes(word)) this.fail(word)
  }

  /** Consumes the name of a class or field. @throws ApiError 300 */
  name(what: string): string {
    if (this.token.kind !== 'name') this.fail(what)
    return this.take().text
  }

  /** Consumes a question mark and returns its value. @throws ApiError 300 when there are more question marks than values */
  value(): Json {
    if (this.#nextValue === this.#values.length)
      throw syntaxError(
        this.#text,
        this.token.at,
        `'pvalues' must have a value for each question mark; it has ${this.#values.length}`,
      )
    this.#next++
    return this.#values[this.#nextValue++]!
  }

  /** Runs a parser one nesting level deeper. @throws ApiError 300 when that is too deep */
  inside<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH)
      throw syntaxError(this.#text, this.token.at, `nesting must be at most ${MAX_DEPTH} levels deep`)
    const result = read()
    this.#depth--
    return result
  }

  /** Throws an error about the next token. @param wanted what is expected instead @throws ApiError 300 */
  fail(wanted: string): never {
    const { text, kind } = this.token
    const found = kind === 'end' ? 'the end' : `'${text.slice(0, 40)}'`
    return this.refuse(this.token, `expected ${wanted}, found ${found}`)
  }

  /** Throws an error about a token. @param what what is wrong @throws ApiError 300 */
  refuse(token: Token, what: string): never {
    throw syntaxError(this.#text, token.at, what)
  }
}
