import { errors } from '../../errors.ts'

const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)|\\[\s\S]/g

/** Reads a pattern from left to right, by code point. Texts between `\Q` and `\E` appear as escaped characters. */
export class PatternCursor {
  readonly #characters: readonly string[]
  readonly #place: string
  #position = 0

  constructor(source: string, place: string) {
    this.#characters = [...source.replace(QUOTED, unquote)]
    this.#place = place
  }

  get done(): boolean {
    return this.#position >= this.#characters.length
  }

  /** The character `ahead` of the next one, '' beyond the end. */
  peek(ahead = 0): string {
    return this.#characters[this.#position + ahead] ?? ''
  }

  /** Takes the next character. @throws ApiError 102 at the end */
  take(): string {
    if (this.done) this.fail('ends too early')
    return this.#characters[this.#position++]!
  }

  /** Takes `text` if it comes next. */
  eat(text: string): boolean {
    const characters = [...text]
    if (!characters.every((character, index) => this.peek(index) === character)) return false
    this.#position += characters.length
    return true
  }

  /** Takes what the expression, which begins with `^`, finds next within 80 characters; null when that is nothing. */
  eatMatch(expression: RegExp): RegExpExecArray | null {
    const match = expression.exec(this.#rest())
    if (match !== null) this.#position += [...match[0]].length
    return match
  }

  fail(reason: string): never {
    throw errors.invalidQuery(`The regular expression of '${this.#place}' ${reason}.`)
  }

  #rest(): string {
    return this.#characters.slice(this.#position, this.#position + 80).join('')
  }
}

function unquote(found: string, quoted: string | undefined): string {
  if (found === '\\E') return ''
  if (quoted === undefined) return found
  return [...quoted].map((character) => `\\x{${character.codePointAt(0)!.toString(16)}}`).join('')
}
