import type { Json } from '../../values/json.ts'
import { syntaxError, type Token, tokensOf } from './tokens.ts'

/** How deep parentheses, lists and inner queries may stand in each other. */
const MAX_DEPTH = 32

/** Where in a CQL text its reader is. */
export class Cursor {
  /** The time that the statement is about, as an ISO text: the same wherever it asks for it. */
  readonly now = new Date().toISOString()
  readonly #text: string
  readonly #tokens: readonly Token[]
  readonly #values: readonly Json[]
  #next = 0
  #nextValue = 0
  #depth = 0

  /** @param values what the question marks of the text stand for, in their order @throws ApiError 300 */
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

  /** Whether a sign or a word of the language comes next; then it is taken. Words may be large or small. */
  takes(word: string): boolean {
    if (!this.isAt(word)) return false
    this.#next++
    return true
  }

  /** Whether these words come next, in this order; then they are taken. */
  takesAll(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.isAt(word, index))) return false
    this.#next += words.length
    return true
  }

  /** @param ahead how many tokens behind the next one */
  isAt(word: string, ahead = 0): boolean {
    const token = this.#tokens[this.#next + ahead]
    return (token?.kind === 'sign' || token?.kind === 'name') && token.text.toLowerCase() === word.toLowerCase()
  }

  /** @throws ApiError 300 */
  expect(word: string): void {
    if (!this.takes(word)) this.fail(word)
  }

  /** A name of a class or field. @throws ApiError 300 */
  name(what: string): string {
    if (this.token.kind !== 'name') this.fail(what)
    return this.take().text
  }

  /** What the next question mark stands for. @throws ApiError 300 when there are more of them than values */
  value(): Json {
    if (this.#nextValue === this.#values.length)
      throw syntaxError(this.#text, this.token.at, `'pvalues' has ${this.#values.length} values, one more is needed`)
    this.#next++
    return this.#values[this.#nextValue++]!
  }

  /** Reads what stands inside of something else. @throws ApiError 300 when that is too deep */
  inside<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH)
      throw syntaxError(this.#text, this.token.at, `at most ${MAX_DEPTH} levels may stand in each other`)
    const result = read()
    this.#depth--
    return result
  }

  /** @param wanted what would be right here @throws ApiError 300 */
  fail(wanted: string): never {
    const { text, kind } = this.token
    const found = kind === 'end' ? 'the text ends' : `there is '${text.slice(0, 40)}'`
    return this.refuse(this.token, `${wanted} is expected, but ${found}`)
  }

  /** @param token where it is @param what is wrong with it @throws ApiError 300 */
  refuse(token: Token, what: string): never {
    throw syntaxError(this.#text, token.at, what)
  }
}
