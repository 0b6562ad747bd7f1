/** The size of a JSON text, determined before it is parsed, relative to limits. */
export interface Extent {
  readonly tooDeep: boolean
  readonly tooMany: boolean
  /** The number counted: all values, unless a limit is exceeded. */
  readonly values: number
}

/**
 * Scans a JSON text and stops as soon as it exceeds a limit. Parsing many small values takes fifty times as long, and their
 * memory. Strings are skipped at the speed of a search. Invalid JSON may be counted wrongly.
 * @param maxDepth maximum levels of lists and objects
 * @param maxValues maximum values at any depth, including the names of members and the lists and objects themselves
 */
export function extentOf(text: string, maxDepth: number, maxValues: number): Extent {
  const counter = new ExtentCounter(maxDepth, maxValues)
  counter.read(text)
  const { tooDeep, tooMany, values } = counter
  return { tooDeep, tooMany, values }
}

/** Scans a text that arrives in pieces, as `extentOf`. */
export class ExtentCounter implements Extent {
  tooDeep = false
  tooMany = false
  readonly #maxDepth: number
  readonly #maxValues: number
  #depth = 0
  /** Starts at one for the outermost value, which no character of the scan accounts for. */
  #values = 1
  /** Whether the last piece ended inside a string, and with a backslash that escapes the next character. */
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

  /** Scans the next piece. Called with one piece after another until a limit is exceeded. */
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

  /** Returns the index after the string that contains `start`, or the end of the piece if the string continues. */
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
  let position = end
  while (position > start && text.charCodeAt(position - 1) === BACKSLASH) position--
  return end - position
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const BRACKET = 91
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125
