import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import type { Message } from './message.ts'

/** Messages that a page may have without waiting for a turn. */
const SHORT = 100
/** Characters of a page after which others have the event loop for a millisecond: about as long as they take. */
const LENGTH_A_MILLISECOND = 100_000
const QUEUE = { slots: 2, waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 }, timeoutMs: 10_000 }

/** Characters of a page that is long whatever the number of its messages: a hundred may be half a megabyte. */
const LONG = 50_000
/** Whoever was given such a page takes turns for so long, in milliseconds, for short ones too: it reads the like. */
const REMEMBERED = 10_000
const MOST_REMEMBERED = 1000

/** The queue of long pages of histories, one for a process, as the event loop is. */
export class LongHistories {
  readonly #queue = new FairSemaphore(QUEUE)
  /** The addresses of apps that take turns for all they read. */
  readonly #readers = new TtlCache<true>({ age: REMEMBERED, size: MOST_REMEMBERED })

  /**
   * Reads a page of a history: a long one in turn, with time for everybody else behind it. A thousand messages are up to
   * 5 MB, which are read from the connection, taken apart and sent by the one thread that serves all.
   * @throws ApiError 429 or 503 when too much waits; 499 when the client disconnected
   */
  async readInTurn(limit: number, principal: Principal = SERVER, read: () => Promise<Message[]>): Promise<Message[]> {
    const reader = `${principal.app} ${principal.address}`
    if (limit > SHORT || this.#readers.get(reader)) {
      return this.#queue.run(principal, read, (messages) => lengthOf(messages) / LENGTH_A_MILLISECOND)
    }
    const messages = await read()
    if (lengthOf(messages) > LONG && principal.address !== '') this.#readers.set(reader, true)
    return messages
  }
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
