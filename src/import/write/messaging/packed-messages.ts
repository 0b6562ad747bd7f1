import { text } from '../../../database/decode-row.ts'
import { RowBuffer } from '../row-buffer.ts'
import { type LastTimes, LastTimesCollector } from './last-times.ts'
import type { GivenMessage } from './message-lines.ts'
import { copyRows } from './messaging-rows.ts'

const ID = text('id')

/** Messages in the form that a thread returns, which usually is written without being parsed again. */
export interface PackedMessages {
  /** In the text format of COPY. */
  readonly rows: Uint8Array
  readonly count: number
  /** Whether each line specifies its thread, and no id occurs twice. Otherwise `rows` is incomplete. */
  readonly isComplete: boolean
  readonly lastTimes: LastTimes
}

/** Packs messages one by one. */
export class MessagePacker {
  readonly #rows: RowBuffer
  #count = 0
  #isComplete = true
  /** A message may be in several threads. This is rare, so such a batch is read again one by one. */
  readonly #ids = new Set<string>()
  readonly #lastTimes = new LastTimesCollector()

  /** @param size expected bytes of the rows */
  constructor(size: number) {
    this.#rows = new RowBuffer(size)
  }

  /** Marks the batch to be read one by one, for example because a message has a note. */
  leave(): void {
    this.#isComplete = false
  }

  add({ row, hasMarks }: GivenMessage): void {
    this.#count++
    if (row.thread === null) this.#isComplete = false
    this.#ids.add(ID.read(row.id))
    this.#lastTimes.add({ rows: [row], hasMarks })
    this.#rows.append(copyRows('messages', [row]))
  }

  packed(): PackedMessages {
    const { all, unmarked } = this.#lastTimes
    return {
      rows: this.#rows.bytes(),
      count: this.#count,
      isComplete: this.#isComplete && this.#ids.size === this.#count,
      lastTimes: { all, unmarked },
    }
  }
}
