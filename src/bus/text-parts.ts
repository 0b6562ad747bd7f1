/*
 * The bus of PostgreSQL carries fewer bytes than a message to a large group needs. So a text that is too long is sent in
 * parts, which arrive in the order in which they were published.
 */

/** A text of so many UTF-16 units is short enough, whatever escapes JSON needs for it. */
const SHORT = 2400
/** Characters of base64 in a part. */
const SIZE = 7000

/** A piece of a text that a node publishes. */
export interface TextPart {
  readonly node: string
  readonly number: number
  readonly count: number
  readonly base64: string
}

/** What to publish for a text that is JSON: the text itself, or its parts. */
export function partsOf(node: string, text: string): string[] {
  if (text.length <= SHORT) return [text]
  const base64 = Buffer.from(text).toString('base64')
  const count = Math.ceil(base64.length / SIZE)
  return Array.from({ length: count }, (_, number) => {
    const part: TextPart = { node, number, count, base64: base64.slice(number * SIZE, (number + 1) * SIZE) }
    return JSON.stringify(part)
  })
}

/** Characters of base64 that wait for further parts, of all nodes together. The longest text of a node is far shorter. */
const MAX_WAITING = 128 * 1024 * 1024

interface Received {
  readonly parts: string[]
  length: number
}

/** Whether a value has the form of a part. */
export function isTextPart(value: object): value is TextPart {
  const { node, number, count, base64 } = value as Partial<TextPart>
  return (
    typeof node === 'string' &&
    typeof base64 === 'string' &&
    Number.isSafeInteger(number) &&
    Number.isSafeInteger(count) &&
    number! >= 0 &&
    number! < count!
  )
}

/**
 * Puts together what other nodes publish in parts. A node that dies never sends the rest, and other programs may publish on the same
 * channel, so what waits is bounded.
 */
export class TextParts {
  /** By node; the one that has sent a part last is at the end. */
  readonly #received = new Map<string, Received>()
  readonly #maxWaiting: number
  #waiting = 0

  constructor(maxWaiting = MAX_WAITING) {
    this.#maxWaiting = maxWaiting
  }

  /** Characters that wait for further parts. */
  get waiting(): number {
    return this.#waiting
  }

  /** @returns the whole text; null while parts are missing */
  add({ node, number, count, base64 }: TextPart): string | null {
    const before = this.#take(node)
    const received = number === 0 ? { parts: [], length: 0 } : before
    // A part has been lost: the rest is of no use.
    if (received?.parts.length !== number) return null
    received.parts.push(base64)
    received.length += base64.length
    if (received.parts.length === count) return Buffer.from(received.parts.join(''), 'base64').toString()
    this.#received.set(node, received)
    // A part without text takes some memory too.
    this.#waiting += received.length + received.parts.length * PART_WEIGHT
    while (this.#waiting > this.#maxWaiting) this.#take(this.#received.keys().next().value!)
    return null
  }

  #take(node: string): Received | undefined {
    const received = this.#received.get(node)
    if (!received) return undefined
    this.#received.delete(node)
    this.#waiting -= received.length + received.parts.length * PART_WEIGHT
    return received
  }
}

/** What a part weighs beside its text, in characters. */
const PART_WEIGHT = 100
