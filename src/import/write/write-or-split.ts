import { isRefusal } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'

/** A rejected row, with the error. */
export interface Refused<Row> {
  readonly row: Row
  readonly error: unknown
}

/**
 * Writes rows together. When the database rejects them, each half is written separately, in order, until the invalid rows are
 * found. Of two rows with the same unique value, the first is kept.
 * @param write writes all of the rows, or throws the error of the database
 */
export async function writeOrSplit<Row, Result>(
  transaction: Executor,
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<readonly Result[]>,
): Promise<{ readonly results: readonly Result[]; readonly refused: readonly Refused<Row>[] }> {
  if (rows.length === 0) return { results: [], refused: [] }
  const tried = await tryToWrite(transaction, () => write(rows))
  if ('result' in tried) return { results: tried.result, refused: [] }
  if (rows.length === 1) return { results: [], refused: [{ row: rows[0]!, error: tried.error }] }
  const middle = Math.ceil(rows.length / 2)
  const first = await writeOrSplit(transaction, rows.slice(0, middle), write)
  const second = await writeOrSplit(transaction, rows.slice(middle), write)
  return { results: [...first.results, ...second.results], refused: [...first.refused, ...second.refused] }
}

/**
 * Writes inside a savepoint, so that the transaction can continue when the database rejects the write.
 * @returns the rejection, in which case nothing is written
 * @throws any other error
 */
export async function tryToWrite<Result>(
  transaction: Executor,
  write: () => Promise<Result>,
): Promise<{ readonly result: Result } | { readonly error: unknown }> {
  await transaction.query(raw('SAVEPOINT rows_of_import'))
  try {
    const result = await write()
    await transaction.query(raw('RELEASE SAVEPOINT rows_of_import'))
    return { result }
  } catch (error) {
    if (!isRefusal(error)) throw error
    await transaction.query(raw('ROLLBACK TO SAVEPOINT rows_of_import'))
    await transaction.query(raw('RELEASE SAVEPOINT rows_of_import'))
    return { error }
  }
}
