import { errors } from '../../../errors.ts'

const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)|\\[\s\S]/g

/** Maximum cased characters of case-insensitive ranges that are folded for one pattern. */
const MAX_FOLDED = 20_000

/** Reads a pattern from left to right, by code point. Texts between `\Q` and `\E` appear as escaped characters. */
export class PatternCursor {
  readonly #source: string
  readonly #path: string
  #position = 0
  #folded = 0

  constructor(source: string, path: string) {
    this.#source = source.includes('\\') ? source.replace(QUOTED, unquote) : source
    this.#path = path
  }

  get done(): boolean {
    return this.#position >= this.#source.length
  }

  /** Returns the next character, '' at the end. */
  peek(): string {
    const code = this.#source.codePointAt(this.#position)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  /** Consumes the next character. @throws ApiError 102 at the end */
  take(): string {
    if (this.done) this.fail('ends too early')
    const character = this.peek()
    this.#position += character.length
    return character
  }

  /** Returns whether `text` is next. */
  sees(text: string): boolean {
    return this.#source.startsWith(text, this.#position)
  }

  /** Consumes `text` if it is next, and returns whether it was. */
  eat(text: string): boolean {
    const found = this.sees(text)
    if (found) this.#position += text.length
    return found
  }

  /** Consumes the match of a sticky expression (flag `y`) if it matches here; otherwise returns null. */
  eatMatch(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#position
    const match = expression.exec(this.#source)
    if (match !== null) this.#position += match[0].length
    return match
  }

  /** Counts characters to fold: a few brackets can contain thousands. @throws ApiError 102 */
  countFolded(characters: number): void {
    this.#folded += characters
    if (this.#folded > MAX_FOLDED)
      this.fail(`ignores the case of more than ${MAX_FOLDED} characters; give its '[]' smaller ranges`)
  }

  fail(reason: string): never {
    throw errors.invalidQuery(`The regular expression of '${this.#path}' ${reason}.`)
  }
}

function unquote(found: string, quoted: string | undefined): string {
  if (found === '\\E') return ''
  if (quoted === undefined) return found
  return [...quoted].map((character) => `\\x{${character.codePointAt(0)!.toString(16)}}`).join('')
}
