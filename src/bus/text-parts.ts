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

/** Puts together what other nodes publish in parts. */
export class TextParts {
  readonly #received = new Map<string, string[]>()

  /** @returns the whole text; null while parts are missing */
  add({ node, number, count, base64 }: TextPart): string | null {
    const received = number === 0 ? [] : this.#received.get(node)
    this.#received.delete(node)
    // A part has been lost: the rest is of no use.
    if (received?.length !== number) return null
    received.push(base64)
    if (received.length === count) return Buffer.from(received.join(''), 'base64').toString()
    this.#received.set(node, received)
    return null
  }
}
