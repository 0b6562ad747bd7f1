import { parseInboxElsewhere, restoreInbox } from '../../social/statuses/restore-inbox.ts'
import type { Batch } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { restoringWriter } from './restoring-writer.ts'

/** Reads a batch of inboxes. @returns what writes it, in a transaction */
export function inboxWriter({ statuses }: ImportApp, { items }: Batch) {
  return restoringWriter(items, parseInboxElsewhere, (transaction, inbox) => restoreInbox(statuses, transaction, inbox))
}
