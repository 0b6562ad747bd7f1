import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../../database/row.ts'
import { errors } from '../../errors.ts'
import { FairTurns } from '../../turns/fair-turns.ts'
import { type Party, SERVER } from '../../turns/party.ts'

/** Bytes of rows from which on making an answer of them holds up the event loop for long enough to be noticed. */
export const LARGE = 512 * 1024
/** Bytes of rows after which others have the event loop for a millisecond: about as long as they take. */
const BYTES_A_MILLISECOND = 100_000
/** Bytes of such rows that may be in memory: those for one address, and all. */
const HELD_BYTES = { ofAddress: 24 * 1024 * 1024, inAll: 96 * 1024 * 1024 }
/** One for the process, as the event loop is. */
const turns = new FairTurns({
  places: 1,
  waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 },
  patience: 20_000,
})
const heldBy = new Map<string, number>()
let heldInAll = 0

/**
 * Makes an answer of rows that were read: at once where they are few bytes, else in turn, one answer after the other, with
 * time for everybody else in between.
 * @throws ApiError 429 or 503 when too much waits; 499 when the party went away
 */
export async function presentInTurn<Text>(
  rows: readonly Row[],
  party: Party = SERVER,
  present: () => Promise<Text>,
): Promise<Text> {
  const bytes = rows.reduce((sum, row) => sum + (row.data as string).length, 0)
  if (bytes < LARGE) return present()
  checkRoom(party, bytes)
  hold(party, bytes)
  try {
    return await inTurn(party, bytes, present)
  } finally {
    hold(party, -bytes)
  }
}

/**
 * To be called before rows are read that may be many bytes.
 * @param bytes that are known to come
 * @throws ApiError 429 when this address has too much in memory already, 503 when all have
 */
export function checkRoom(party: Party = SERVER, bytes = 0): void {
  const ofAddress = heldBy.get(keyOf(party)) ?? 0
  // One alone may be as large as it is.
  if (ofAddress > 0 && ofAddress + bytes > HELD_BYTES.ofAddress) throw errors.tooManyRequests()
  if (bytes > 0 && heldInAll > 0 && heldInAll + bytes > HELD_BYTES.inAll) throw errors.unavailable()
}

function inTurn<Text>(party: Party, bytes: number, present: () => Promise<Text>): Promise<Text> {
  const work = async () => {
    // To read the rows from the connection has held up others already.
    await nextTurn()
    return present()
  }
  return turns.perform(party, work, bytes / BYTES_A_MILLISECOND)
}

function hold(party: Party, bytes: number): void {
  heldInAll += bytes
  const key = keyOf(party)
  const left = (heldBy.get(key) ?? 0) + bytes
  if (left > 0) heldBy.set(key, left)
  else heldBy.delete(key)
}

function keyOf({ app, address }: Party): string {
  return `${app} ${address}`
}
