import type { Batch, Item, Items } from './batch.ts'

/** The type of a batch as lines. */
export const BATCH_LINES = 'application/x-ndjson'

/**
 * A batch as lines: what it is, then its records. A record of which there is nothing to say but where it stood is
 * that number, a space and its text as it is: to quote a megabyte, and to read it twice, costs as much as to store it.
 */
export function linesOf({ items, ...head }: Batch): string {
  let lines = `${JSON.stringify(head)}\n`
  for (const item of items) lines += isPlain(item) ? `${item.at} ${item.text}\n` : `${JSON.stringify(item)}\n`
  return lines
}

function isPlain({ text, notes, reason }: Item): boolean {
  return notes === undefined && reason === undefined && !text.includes('\n')
}

/** The bytes of a batch that came as lines, and where its records stand in them. */
interface BatchParts {
  readonly head: string
  readonly items: LineItems
}

const NEWLINE = 10
const SPACE = 32
const [ZERO, NINE] = [48, 57]
const BRACE = 123
/** Digits of the number of a record. */
const MOST_DIGITS = 15

/**
 * The parts of a batch that came as lines.
 * @param most records that it may have
 * @param itemOf makes a record of what came as JSON
 * @returns the head as it came, and the records; null for what is no batch, or has more records
 * @throws what `itemOf` does
 */
export function partsOfLines(bytes: Buffer, most: number, itemOf: (text: string) => Item): BatchParts | null {
  const endOfHead = bytes.indexOf(NEWLINE)
  if (endOfHead < 0) return null
  const [numbers, starts, ends]: number[][] = [[], [], []]
  const others = new Map<number, Item>()
  for (let start = endOfHead + 1; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || numbers!.length === most) return null
    if (bytes[start] === BRACE) {
      const item = itemOf(bytes.toString('utf8', start, end))
      others.set(numbers!.length, item)
      numbers!.push(item.at)
      starts!.push(start)
    } else {
      let space = start
      let number = 0
      for (; isDigit(bytes[space]!); space++) number = number * 10 + bytes[space]! - ZERO
      if (bytes[space] !== SPACE || space === start || space - start > MOST_DIGITS) return null
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

/**
 * Records as they came: their texts are made when somebody asks for them, and most are read in a thread, which is given the
 * bytes.
 */
export class LineItems implements Items {
  readonly bytes: Buffer
  readonly #numbers: readonly number[]
  /** Where the text of each begins in the bytes. */
  readonly starts: Uint32Array
  /** … and ends. */
  readonly ends: Uint32Array
  /** Those that did not come as their text alone, by their index. */
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
