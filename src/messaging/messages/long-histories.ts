import { FairTurns } from '../../turns/fair-turns.ts'
import { type Party, SERVER } from '../../turns/party.ts'
import type { Message } from '../message.ts'

/** Messages that a page may have without waiting for a turn. */
const SHORT = 100
/** Characters of a page after which others have the event loop for a millisecond: about as long as they take. */
const LENGTH_A_MILLISECOND = 100_000
/** For the process, as the event loop is. */
const turns = new FairTurns({
  places: 2,
  waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 },
  patience: 10_000,
})

/**
 * Reads a page of a history: a long one in turn, with time for everybody else behind it. A thousand messages are up to
 * 5 MB, which are read from the connection, taken apart and sent by the one thread that serves all.
 * @throws ApiError 429 or 503 when too much waits; 499 when the party went away
 */
export function readInTurn(limit: number, party: Party = SERVER, read: () => Promise<Message[]>): Promise<Message[]> {
  if (limit <= SHORT) return read()
  return turns.perform(
    party,
    read,
    (messages) => messages.reduce((sum, { content }) => sum + content.length, 0) / LENGTH_A_MILLISECOND,
  )
}
