/*
 * The bus of PostgreSQL carries fewer bytes than a message to a large group needs. So a text that is too long is sent
 * in parts, which arrive in the order of publication.
 */

/** A text of this many UTF-16 units is always short enough, whatever escapes JSON needs for it. */
const SHORT = 2400
/** Characters of base64 per part. */
const SIZE = 7000

/** A part of a text that a node publishes. */
export interface TextPart {
  readonly node: string
  readonly number: number
  readonly count: number
  readonly base64: string
}

/** Returns the messages to publish for a JSON text: the text itself, or its parts. */
export function partsOf(node: string, text: string): string[] {
  if (text.length <= SHORT) return [text]
  const base64 = Buffer.from(text).toString('base64')
  const count = Math.ceil(base64.length / SIZE)
  return Array.from({ length: count }, (_, number) => {
    const part: TextPart = { node, number, count, base64: base64.slice(number * SIZE, (number + 1) * SIZE) }
    return JSON.stringify(part)
  })
}

/** Maximum characters of base64 that wait for further parts, of all nodes together. The longest text of a node is far shorter. */
const MAX_WAITING = 128 * 1024 * 1024

interface Received {
  readonly parts: string[]
  length: number
}

/** Returns whether a value has the form of a part. */
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
 * Reassembles texts that other nodes publish in parts. Incomplete texts are bounded, because a node may die before it
 * sends the rest, and other programs may publish on the same channel.
 */
export class TextParts {
  /** By node; the node with the most recent part is last. */
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

  /** @returns the complete text; null while parts are missing */
  add({ node, number, count, base64 }: TextPart): string | null {
    const before = this.#take(node)
    const received = number === 0 ? { parts: [], length: 0 } : before
    // A part was lost, so the rest is useless.
    if (received?.parts.length !== number) return null
    received.parts.push(base64)
    received.length += base64.length
    if (received.parts.length === count) return Buffer.from(received.parts.join(''), 'base64').toString()
    this.#received.set(node, received)
    // A part without text takes some memory, too.
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

/** The weight of a part in addition to its text, in characters. */
const PART_WEIGHT = 100
