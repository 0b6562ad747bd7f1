import { text } from '../../../database/decode-row.ts'
import { RowBuffer } from '../row-buffer.ts'
import { type LastTimes, LastTimesCollector } from './last-times.ts'
import type { GivenMessage } from './message-lines.ts'
import { copyRows } from './messaging-rows.ts'

const ID = text('id')

/** Messages as a thread hands them over: in most cases nobody has to look into them any more. */
export interface PackedMessages {
  /** In the text form of COPY. */
  readonly rows: Uint8Array
  readonly count: number
  /** Whether all of them have a thread that their lines tell, and none is there twice. Else these rows are not all of them. */
  readonly isWhole: boolean
  readonly lastTimes: LastTimes
}

/** Packs messages one after another. */
export class MessagePacker {
  readonly #rows: RowBuffer
  #count = 0
  #isWhole = true
  /** One message may be in several threads. That is rare enough for such batches to be read once more. */
  readonly #ids = new Set<string>()
  readonly #lastTimes = new LastTimesCollector()

  /** @param size bytes that the rows will probably have */
  constructor(size: number) {
    this.#rows = new RowBuffer(size)
  }

  /** Leaves all of them to be read one by one, as for a message that there is something to say of. */
  leave(): void {
    this.#isWhole = false
  }

  add({ row, hasMarks }: GivenMessage): void {
    this.#count++
    if (row.thread === null) this.#isWhole = false
    this.#ids.add(ID.read(row.id))
    this.#lastTimes.add({ rows: [row], hasMarks })
    this.#rows.append(copyRows('messages', [row]))
  }

  packed(): PackedMessages {
    const { all, unmarked } = this.#lastTimes
    return {
      rows: this.#rows.bytes(),
      count: this.#count,
      isWhole: this.#isWhole && this.#ids.size === this.#count,
      lastTimes: { all, unmarked },
    }
  }
}
