import type { Executor } from '../../database/pool.ts'
import { ApiError } from '../../errors.ts'
import type { Notice } from '../../notices/notice.ts'
import type { Item, Items } from '../batch.ts'
import { type Outcome, readItems } from './read-items.ts'

/**
 * Reads records that are each created as a whole, unless they exist.
 * @param restore returns whether it created the record; throws an ApiError when that is impossible, then nothing was written of
 *   it
 * @returns a function that writes them in a transaction
 */
export async function restoringWriter<Value>(
  items: Items,
  parse: (text: string) => Value,
  restore: (transaction: Executor, value: Value) => Promise<boolean>,
  strict = false,
) {
  const { read, refused, notes } = await readItems(items, parse, strict ? 'strict' : 'repaired')
  return async (transaction: Executor): Promise<Outcome> => {
    const unfit: { readonly item: Item; readonly reason: Notice }[] = []
    let created = 0
    for (const { item, value } of read) {
      try {
        if (await restore(transaction, value)) created++
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        unfit.push({ item, reason: error.notice })
      }
    }
    return {
      counts: { created, updated: 0, existing: read.length - created - unfit.length },
      refused: [...refused, ...unfit],
      notes,
    }
  }
}
