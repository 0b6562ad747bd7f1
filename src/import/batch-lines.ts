import type { Batch, Item, Items } from './batch.ts'

/** The media type of a batch as lines. */
export const BATCH_LINES = 'application/x-ndjson'

/**
 * Encodes a batch as lines: its head, then its records. A record that only has a position is written as that number, a space and
 * its unquoted text, because quoting and parsing a megabyte of JSON takes as long as storing it.
 */
export function linesOf({ items, ...head }: Batch): string {
  let lines = `${JSON.stringify(head)}\n`
  for (const item of items) lines += isPlain(item) ? `${item.at} ${item.text}\n` : `${JSON.stringify(item)}\n`
  return lines
}

function isPlain({ text, notes, reason }: Item): boolean {
  return notes === undefined && reason === undefined && !text.includes('\n')
}

/** The parts of a batch received as lines. */
interface BatchParts {
  readonly head: string
  readonly items: LineItems
}

const NEWLINE = 10
const SPACE = 32
const [ZERO, NINE] = [48, 57]
const BRACE = 123
/** Maximum number of digits in the number of a record. */
const MAX_DIGITS = 15

/**
 * Splits a batch received as lines into its parts.
 * @param max maximum number of records
 * @param itemOf parses a record that was sent as JSON
 * @returns the head as received, and the records; null if the bytes are not a batch, or have more records
 * @throws any error of `itemOf`
 */
export function partsOfLines(bytes: Buffer, max: number, itemOf: (text: string) => Item): BatchParts | null {
  const endOfHead = bytes.indexOf(NEWLINE)
  if (endOfHead < 0) return null
  const [numbers, starts, ends]: number[][] = [[], [], []]
  const others = new Map<number, Item>()
  for (let start = endOfHead + 1; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || numbers!.length === max) return null
    if (bytes[start] === BRACE) {
      const item = itemOf(bytes.toString('utf8', start, end))
      others.set(numbers!.length, item)
      numbers!.push(item.at)
      starts!.push(start)
    } else {
      let space = start
      let number = 0
      for (; isDigit(bytes[space]!); space++) number = number * 10 + bytes[space]! - ZERO
      if (bytes[space] !== SPACE || space === start || space - start > MAX_DIGITS) return null
      numbers!.push(number)
      starts!.push(space + 1)
    }
    ends!.push(end)
    start = end + 1
  }
  const items = new LineItems(bytes, numbers!, Uint32Array.from(starts!), Uint32Array.from(ends!), others)
  return { head: bytes.toString('utf8', 0, endOfHead), items }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** Records as received. Their texts are decoded on access: most records are read in a worker thread, which receives the bytes. */
export class LineItems implements Items {
  readonly bytes: Buffer
  readonly #numbers: readonly number[]
  /** Offsets in the bytes at which the texts begin. */
  readonly starts: Uint32Array
  /** Offsets at which they end. */
  readonly ends: Uint32Array
  /** Records that were sent as JSON, by their index. */
  readonly others: ReadonlyMap<number, Item>

  constructor(
    bytes: Buffer,
    numbers: readonly number[],
    starts: Uint32Array,
    ends: Uint32Array,
    others: ReadonlyMap<number, Item>,
  ) {
    this.bytes = bytes
    this.#numbers = numbers
    this.starts = starts
    this.ends = ends
    this.others = others
  }

  get length(): number {
    return this.starts.length
  }

  at(index: number): Item {
    const at = this.#numbers[index]!
    return this.others.get(index) ?? { at, text: this.bytes.toString('utf8', this.starts[index], this.ends[index]) }
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.at(index)
  }
}
