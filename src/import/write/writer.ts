import type { Transaction } from '../../database/pool.ts'
import type { Sql } from '../../database/sql.ts'
import type { Outcome } from './read-items.ts'

/** Writes a batch that has been read. */
export interface Writer {
  /**
   * Writes the rows as if none of them were here yet; it needs nothing of the batch of the same part before.
   * @returns false where one is here, or something else is refused: then nothing is written. Absent: there is no such way
   */
  readonly copy?: (transaction: Transaction) => Promise<boolean>
  /** Where it writes rows by the thousand. */
  readonly table?: Sql
  /**
   * Writes what has to be written besides the rows, which are not those that `copy` writes of the next batch.
   * @param isCopied whether the rows are there; else they are written with regard to those that were
   */
  readonly write: (transaction: Transaction, isCopied: boolean) => Promise<Outcome>
}
