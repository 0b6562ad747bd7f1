import { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../scheduling/principal.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import type { Message } from './message.ts'

/** Maximum number of messages of a page that is read without queueing. */
const SHORT = 100
/** Characters of a page for which other work gets one millisecond of the event loop: about the time that handling them takes. */
const LENGTH_A_MILLISECOND = 100_000
/** Conversations of a page for which other work gets one millisecond: reading and sending a thousand takes 40 ms. */
const CONVERSATIONS_A_MILLISECOND = 25
const QUEUE = { slots: 2, waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 }, timeoutMs: 10_000 }

/** Characters of a page that counts as long whatever its number of messages: a hundred may be half a megabyte. */
const LONG = 50_000
/**
 * How long a caller that read such a page queues for short pages too, in milliseconds: its next pages are likely to be similar.
 */
const REMEMBERED = 10_000
const MAX_REMEMBERED_CURSORS = 1000

/** The queue of long pages of histories and conversations. One for the process, like the event loop. */
export class LongPages {
  readonly #queue = new FairSemaphore(QUEUE)
  /** Apps and addresses that queue for all pages. */
  readonly #readers = new TtlCache<true>({ age: REMEMBERED, size: MAX_REMEMBERED_CURSORS })

  /**
   * Reads a page of a history. Long pages are queued, and each is followed by a pause for other work. A thousand messages are up
   * to 5 MB, which are read from the connection, parsed and sent by the single thread that serves all clients.
   * @throws ApiError 429 or 503 when the queue is full; 499 when the client disconnected
   */
  async readQueued(limit: number, principal: Principal = SERVER, read: () => Promise<Message[]>): Promise<Message[]> {
    const reader = `${principal.app} ${principal.address}`
    if (limit > SHORT || this.#readers.get(reader)) {
      return this.#queue.run(principal, read, (messages) => lengthOf(messages) / LENGTH_A_MILLISECOND)
    }
    const messages = await read()
    if (lengthOf(messages) > LONG && principal.address !== '') this.#readers.set(reader, true)
    return messages
  }

  /**
   * Lists conversations. Long pages are queued like those of a history: a thousand conversations with their members and last
   * messages are a megabyte.
   * @param limit maximum number of conversations of the page
   * @throws ApiError 429 or 503 when the queue is full; 499 when the client disconnected
   */
  async listQueued<Item>(limit: number, principal: Principal = SERVER, list: () => Promise<Item[]>): Promise<Item[]> {
    if (limit <= SHORT) return list()
    return this.#queue.run(principal, list, (found) => found.length / CONVERSATIONS_A_MILLISECOND)
  }
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
