import type { Transaction } from '../../database/pool.ts'
import type { Sql } from '../../database/sql.ts'
import type { Outcome } from './read-items.ts'

/** Writes a batch that was read. */
export interface Writer {
  /**
   * Writes the rows as if all of them were new. It does not depend on the previous batch of the same part.
   * @returns false when a row exists or is rejected; then nothing is written. Absent: the kind has no such way
   */
  readonly copy?: (transaction: Transaction) => Promise<boolean>
  /** The table to which it writes thousands of rows. */
  readonly table?: Sql
  /**
   * Writes the remaining rows. They must not overlap with rows that `copy` of the next batch writes.
   * @param isCopied whether `copy` has written the rows; otherwise they are written here, with handling of existing ones
   */
  readonly write: (transaction: Transaction, isCopied: boolean) => Promise<Outcome>
}
