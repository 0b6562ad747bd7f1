import { FairTurns } from './fair-turns.ts'
import type { Party } from './party.ts'

/** How many may wait for one key, and how many milliseconds each. */
const WAITING = 500
const PATIENCE = 30_000

/**
 * Lends one turn at a time for each of many keys, fairly (`fair-turns.ts`). What would wait for each other in the database
 * waits here first, where it holds no connection.
 */
export class TurnsByKey {
  readonly #turns = new Map<string, FairTurns>()

  /**
   * Does work when it is its turn.
   * @throws ApiError 429, 503 when too many wait, or for too long; 499 when the party went away
   */
  async run<Result>(key: string, party: Party, work: () => Promise<Result>): Promise<Result> {
    const turns = this.#turnsOf(key)
    try {
      return await turns.perform(party, work)
    } finally {
      if (turns.running === 0 && turns.waiting === 0) this.#turns.delete(key)
    }
  }

  #turnsOf(key: string): FairTurns {
    let turns = this.#turns.get(key)
    if (!turns) {
      const waiting = { atAddress: WAITING, ofApp: WAITING, inAll: WAITING }
      turns = new FairTurns({ places: 1, waiting, patience: PATIENCE })
      this.#turns.set(key, turns)
    }
    return turns
  }
}
