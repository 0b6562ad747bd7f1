import type { Notice } from '../../notices/notice.ts'
import type { Item, Items } from '../batch.ts'
import { LineItems } from '../batch-lines.ts'

/** The texts of the records of a batch, in the form passed to a worker thread. */
export interface GivenTexts {
  /** The texts of records, and the offsets of their starts and ends. */
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Texts outside of `bytes`, by the index of their record; null when the record is already rejected. */
  readonly others: ReadonlyMap<number, string | null>
  /** Whether to read in time slices, with pauses for other work on the processor. */
  readonly inPieces: boolean
}

/** A record that a thread rejected, by its index. */
export interface RefusedIndex {
  readonly index: number
  readonly reason: Notice
}

/** Bytes of a batch from which a thread reads it. Smaller ones block the event loop for a few slices of a millisecond. */
const LARGE = 256 * 1024

/** Returns whether a batch is so large that a thread must read it. */
export function isLarge(items: Items): items is LineItems {
  return items instanceof LineItems && items.bytes.length >= LARGE
}

export function givenTexts({ bytes, starts, ends, others }: LineItems, inPieces: boolean): GivenTexts {
  const texts = new Map([...others].map(([index, { text, reason }]) => [index, reason === undefined ? text : null]))
  return { bytes, starts, ends, others: texts, inPieces }
}

/** Bytes of a time slice, and milliseconds between two slices. A slice takes one or two milliseconds. */
const PIECE = 64 * 1024
const PAUSE = 2

/** Yields the texts that are not rejected yet, with the indexes of their records. */
export function* textsOf({
  bytes,
  starts,
  ends,
  others,
  inPieces,
}: GivenTexts): Iterable<[index: number, text: string]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let pieceEnd = inPieces ? PIECE : Number.POSITIVE_INFINITY
  for (const [index, start] of starts.entries()) {
    if (start >= pieceEnd) {
      pauseThread()
      pieceEnd = start + PIECE
    }
    const other = others.get(index)
    if (other !== null) yield [index, other ?? buffer.toString('utf8', start, ends[index])]
  }
}

/** Blocks the thread, which has no other work. */
function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
}

/** Returns all rejected records: those rejected before they were sent, and those that the thread rejected. */
export function allRefused(items: LineItems, refused: readonly RefusedIndex[]): { item: Item; reason: Notice }[] {
  return [
    ...[...items.others.values()].flatMap((item) => (item.reason === undefined ? [] : [{ item, reason: item.reason }])),
    ...refused.map(({ index, reason }) => ({ item: items.at(index), reason })),
  ]
}
