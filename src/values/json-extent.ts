/** How large a JSON text is, before it is parsed: as far as that goes beyond limits. */
export interface Extent {
  readonly tooDeep: boolean
  readonly tooMany: boolean
  /** Those that were counted: all of them, unless there is too much. */
  readonly values: number
}

/**
 * Goes through a JSON text and ends as soon as it is beyond a limit; parsing many small values takes fifty times as long,
 * and their memory. Texts are passed over at the speed of a search. What is no JSON may be counted wrongly.
 * @param maxDepth levels of lists and objects
 * @param maxValues values at whatever depth, the names of members and the lists and objects themselves included
 */
export function extentOf(text: string, maxDepth: number, maxValues: number): Extent {
  const counter = new ExtentCounter(maxDepth, maxValues)
  counter.read(text)
  const { tooDeep, tooMany, values } = counter
  return { tooDeep, tooMany, values }
}

/** The same for a text that comes in pieces. */
export class ExtentCounter implements Extent {
  tooDeep = false
  tooMany = false
  readonly #maxDepth: number
  readonly #maxValues: number
  #depth = 0
  /** The outermost one is counted by nothing that stands in the text. */
  #values = 1
  /** Whether the last piece ended within a text, and that with a backslash which means the next character. */
  #inText = false
  #escaping = false

  constructor(maxDepth: number, maxValues: number) {
    this.#maxDepth = maxDepth
    this.#maxValues = maxValues
  }

  get values(): number {
    return this.#values
  }

  get isBeyond(): boolean {
    return this.tooDeep || this.tooMany
  }

  /** To be called with one piece after the other until it is beyond a limit. */
  read(piece: string): void {
    if (piece === '') return
    let depth = this.#depth
    let values = this.#values
    for (let index = this.#inText ? this.#passText(piece, 0) : 0; index < piece.length; index++) {
      switch (piece.charCodeAt(index)) {
        case QUOTE:
          index = this.#passText(piece, index + 1) - 1
          continue
        case COMMA:
          values++
          break
        case BRACKET:
        case BRACE:
          values++
          if (++depth > this.#maxDepth) {
            this.tooDeep = true
            return
          }
          break
        case COLON:
          values++
          break
        case BRACKET_END:
        case BRACE_END:
          depth--
          continue
        default:
          continue
      }
      if (values > this.#maxValues) {
        this.tooMany = true
        return
      }
    }
    this.#depth = depth
    this.#values = values
  }

  /** @returns the place behind the text of which `start` is within; the end of the piece when the text goes on */
  #passText(piece: string, start: number): number {
    const from = start + (this.#escaping ? 1 : 0)
    for (let end = piece.indexOf('"', from); end >= 0; end = piece.indexOf('"', end + 1)) {
      if (backslashesBefore(piece, from, end) % 2 === 1) continue
      this.#inText = false
      this.#escaping = false
      return end + 1
    }
    this.#inText = true
    this.#escaping = backslashesBefore(piece, from, piece.length) % 2 === 1
    return piece.length
  }
}

function backslashesBefore(text: string, start: number, end: number): number {
  let place = end
  while (place > start && text.charCodeAt(place - 1) === BACKSLASH) place--
  return end - place
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const BRACKET = 91
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125
