import { text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { recur } from '../../jobs/recurring.ts'
import { Sequence } from '../../scheduling/sequence.ts'
import type { Statuses } from './statuses.ts'

const HOUR = 3_600_000

/** Milliseconds for which deletions are collected before their entries are deleted. */
const SOON = 1000

/** Maximum rows deleted by one statement. */
const CHUNK = 1000

/**
 * Deletes the inbox entries of deleted statuses and users. Inboxes stop showing them as soon as the status or user is deleted.
 */
export class StatusSweep {
  readonly #statuses: Statuses
  readonly #end: () => void
  readonly #stopping = new AbortController()
  #soon: NodeJS.Timeout | undefined
  readonly #removals = new Sequence()

  constructor(statuses: Statuses) {
    this.#statuses = statuses
    this.#end = recur((signal) => removeDeleted(statuses, signal), {
      // Random, so that nodes that start together do not sweep together.
      delay: HOUR * Math.random(),
      interval: HOUR,
      failed: (reason) =>
        statuses.log.warn({ reason }, 'removing entries of deleted statuses failed, retrying in an hour'),
    })
  }

  /** Must be called when statuses or users may have been deleted. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.#removals.run(() => this.#remove())
    }, SOON).unref()
  }

  /** Waits for the current statement. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#end()
    clearTimeout(this.#soon)
    await this.#removals.ended()
  }

  /** Deletes entries now; after a failure the hourly run retries. */
  async #remove(): Promise<void> {
    await removeDeleted(this.#statuses, this.#stopping.signal).catch((error: Error) => {
      this.#statuses.log.debug({ error: error.message }, 'removing entries of deleted statuses failed')
    })
  }
}

/** Deletes the entries of deleted statuses and users in bounded batches. */
async function removeDeleted({ database, tables }: Statuses, signal: AbortSignal): Promise<void> {
  const { entries, inboxes, deletedOwners, deletedStatuses } = tables
  const inChunks = async (statement: Sql) => {
    let removed: Row[]
    do {
      if (signal.aborted) return false
      removed = await database.query(statement)
    } while (removed.length === CHUNK)
    return true
  }
  const each = async (deleted: Sql, column: Sql, leftOf: (id: string) => readonly Sql[]) => {
    for (;;) {
      const rows = await database.query(sql`SELECT ${column} AS id FROM ${deleted} LIMIT ${CHUNK}`)
      for (const id of rows.map(text('id'))) {
        for (const statement of leftOf(id)) if (!(await inChunks(statement))) return
        await database.query(sql`DELETE FROM ${deleted} WHERE ${column} = ${id}`)
      }
      if (rows.length < CHUNK) return
    }
  }
  await each(deletedStatuses, sql`status_id`, (id) => [
    sql`
      DELETE FROM ${entries}
      WHERE (owner_id, inbox_type, message_id) IN (
        SELECT owner_id, inbox_type, message_id FROM ${entries} WHERE status_id = ${id} LIMIT ${CHUNK})
      RETURNING message_id`,
  ])
  await each(deletedOwners, sql`owner_id`, (id) => [
    sql`
      DELETE FROM ${entries}
      WHERE (owner_id, inbox_type, message_id) IN (
        SELECT owner_id, inbox_type, message_id FROM ${entries} WHERE owner_id = ${id} LIMIT ${CHUNK})
      RETURNING message_id`,
    sql`DELETE FROM ${inboxes} WHERE owner_id = ${id} RETURNING owner_id`,
  ])
}
