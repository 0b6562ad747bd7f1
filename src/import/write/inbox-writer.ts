import type { Executor } from '../../database/pool.ts'
import { type ExportedInbox, parseExportedInbox, restoreInbox } from '../../social/statuses/restore-inbox.ts'
import type { Batch } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { restoringWriter } from './restoring-writer.ts'

/** Reads a batch of inboxes. @returns a function that writes it in a transaction */
export function inboxWriter({ statuses }: ImportApp, { items, strict }: Batch) {
  const restore = (transaction: Executor, inbox: ExportedInbox) => restoreInbox(statuses, transaction, inbox)
  return restoringWriter(items, parseExportedInbox, restore, strict)
}
