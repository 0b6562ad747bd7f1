import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import type { Message } from './message.ts'

/** Messages that a page may have without waiting for a turn. */
const SHORT = 100
/** Characters of a page after which others have the event loop for a millisecond: about as long as they take. */
const LENGTH_A_MILLISECOND = 100_000
/** Conversations of a page after which others have a millisecond: of a thousand 40 ms are taken for reading and sending. */
const CONVERSATIONS_A_MILLISECOND = 25
const QUEUE = { slots: 2, waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 }, timeoutMs: 10_000 }

/** Characters of a page that is long whatever the number of its messages: a hundred may be half a megabyte. */
const LONG = 50_000
/** Whoever was given such a page takes turns for so long, in milliseconds, for short ones too: it reads the like. */
const REMEMBERED = 10_000
const MOST_REMEMBERED = 1000

/** The queue of long pages of histories and of conversations, one for a process, as the event loop is. */
export class LongPages {
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

  /**
   * Lists conversations, a long page in turn like one of a history: a thousand with their members and last messages are a
   * megabyte.
   * @param limit conversations that the page may have
   * @throws ApiError 429 or 503 when too much waits; 499 when the client disconnected
   */
  async listInTurn<Item>(limit: number, principal: Principal = SERVER, list: () => Promise<Item[]>): Promise<Item[]> {
    if (limit <= SHORT) return list()
    return this.#queue.run(principal, list, (found) => found.length / CONVERSATIONS_A_MILLISECOND)
  }
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
