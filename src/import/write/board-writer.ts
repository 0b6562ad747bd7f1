import type { Executor } from '../../database/pool.ts'
import { type ExportedBoard, parseExportedBoard } from '../../leaderboards/exported-board.ts'
import { restoreBoard } from '../../leaderboards/restore-board.ts'
import type { Batch } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { restoringWriter } from './restoring-writer.ts'

/** Reads a batch of leaderboards. @returns a function that writes it in a transaction */
export function boardWriter({ leaderboards }: ImportApp, { items, strict }: Batch) {
  const restore = (transaction: Executor, board: ExportedBoard) => restoreBoard(leaderboards, transaction, board)
  return restoringWriter(items, parseExportedBoard, restore, strict)
}
