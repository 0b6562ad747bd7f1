import type { Notice } from '../../notices/notice.ts'
import type { Item, Items } from '../batch.ts'
import { LineItems } from '../batch-lines.ts'

/** The texts of the records of a batch, as a thread is given them. */
export interface GivenTexts {
  /** The texts of records, and where each begins and ends in them. */
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Texts that are not among the bytes, by the indexes of their records; null where the record has been refused. */
  readonly others: ReadonlyMap<number, string | null>
  /** Whether others are to have the processor in between. */
  readonly inPieces: boolean
}

/** A record that a thread has refused, by its index. */
export interface RefusedIndex {
  readonly index: number
  readonly reason: Notice
}

/** Bytes of a batch from which on a thread reads it: below that reading takes a few turns of a millisecond. */
const LARGE = 256 * 1024

/** Whether a batch is so large that a thread has to read it. */
export function isLarge(items: Items): items is LineItems {
  return items instanceof LineItems && items.bytes.length >= LARGE
}

export function givenTexts({ bytes, starts, ends, others }: LineItems, inPieces: boolean): GivenTexts {
  const texts = new Map([...others].map(([index, { text, reason }]) => [index, reason === undefined ? text : null]))
  return { bytes, starts, ends, others: texts, inPieces }
}

/** Of texts that are read in pieces: their bytes, and milliseconds in between. A piece takes a millisecond or two. */
const PIECE = 64 * 1024
const PAUSE = 2

/** The texts that have not been refused yet, with the indexes of their records. */
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

/** A thread has nothing else to do meanwhile. */
function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
}

/** All records that have been refused: those that came so, and those that the thread has refused. */
export function allRefused(items: LineItems, refused: readonly RefusedIndex[]): { item: Item; reason: Notice }[] {
  return [
    ...[...items.others.values()].flatMap((item) => (item.reason === undefined ? [] : [{ item, reason: item.reason }])),
    ...refused.map(({ index, reason }) => ({ item: items.at(index), reason })),
  ]
}
