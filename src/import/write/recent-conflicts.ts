import { TtlCache } from '../../values/ttl-cache.ts'
import type { Counts } from '../batch.ts'

/** Batches without a conflict after which the next ones are expected to be new again. */
const ENOUGH = 8
/** Milliseconds for which conflicts are remembered, and maximum number of imports. */
const MEMORY = { age: 60 * 60_000, size: 1000 }

/**
 * Predicts whether the next batch of an import contains only new records. Writing is three times as fast for a batch without
 * existing records, but the attempt is wasted when there is one. After a conflict the next batches are written the slow way,
 * until a few of them have had none.
 */
export class RecentConflicts {
  /** Batches since the last conflict, by import and kind of record. */
  readonly #since = new TtlCache<number>(MEMORY)

  /** @param counts the counts of the import so far, the only information when another node wrote the earlier batches */
  expectsNone(name: string, { existing, updated }: Counts): boolean {
    return (this.#since.get(name) ?? (existing + updated > 0 ? 0 : ENOUGH)) >= ENOUGH
  }

  /**
   * @param counts the counts of a written batch
   * @param before the counts of the import before it
   */
  note(name: string, counts: Pick<Counts, 'existing' | 'updated'>, before: Counts): void {
    const hasRecentConflict = counts.existing + counts.updated > 0
    if (!hasRecentConflict && this.expectsNone(name, before)) return
    this.#since.set(name, hasRecentConflict ? 0 : (this.#since.get(name) ?? 0) + 1)
  }
}
