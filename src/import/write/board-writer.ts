import { parseBoardElsewhere } from '../../leaderboards/board-elsewhere.ts'
import { restoreBoard } from '../../leaderboards/restore-board.ts'
import type { Batch } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { restoringWriter } from './restoring-writer.ts'

/** Reads a batch of leaderboards. @returns what writes it, in a transaction */
export function boardWriter({ leaderboards }: ImportApp, { items }: Batch) {
  return restoringWriter(items, parseBoardElsewhere, (transaction, board) =>
    restoreBoard(leaderboards, transaction, board),
  )
}
