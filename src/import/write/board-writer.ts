import type { Executor } from '../../database/pool.ts'
import { ApiError } from '../../errors.ts'
import { parseBoardElsewhere } from '../../leaderboards/board-elsewhere.ts'
import { restoreBoard } from '../../leaderboards/restore-board.ts'
import type { Batch, Item } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { type Outcome, readItems } from './read-items.ts'

/** Reads a batch of leaderboards. @returns what writes it, in a transaction */
export async function boardWriter({ leaderboards }: ImportApp, { items }: Batch) {
  const { read, refused } = await readItems(items, parseBoardElsewhere)
  return async (transaction: Executor): Promise<Outcome> => {
    const unfit: { readonly item: Item; readonly reason: string }[] = []
    let created = 0
    for (const { item, value } of read) {
      try {
        if (await restoreBoard(leaderboards, transaction, value)) created++
      } catch (error) {
        // It is thrown when nothing was written of the board.
        if (!(error instanceof ApiError)) throw error
        unfit.push({ item, reason: error.message })
      }
    }
    return {
      counts: { created, updated: 0, existing: read.length - created - unfit.length },
      refused: [...refused, ...unfit],
      notes: [],
    }
  }
}
