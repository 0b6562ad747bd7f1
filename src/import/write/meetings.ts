import { TtlCache } from '../../values/ttl-cache.ts'
import type { Counts } from '../batch.ts'

/** Batches without a meeting after which the next ones are taken for new again. */
const ENOUGH = 8
/** How long it is remembered, in milliseconds, and of how many imports. */
const MEMORY = { age: 60 * 60_000, size: 1000 }

/**
 * Whether the next batch of an import will probably meet nothing that is here already. A batch is written three times as fast
 * where it meets nothing, and in vain first where it does: after a meeting the next ones are written as if they met something
 * too, until a few have not.
 */
export class Meetings {
  /** Batches since the last meeting, by import and what it is of. */
  readonly #since = new TtlCache<number>(MEMORY)

  /** @param counts of the import so far: all that is known where the batches before were another node's */
  expectsNone(name: string, { existing, updated }: Counts): boolean {
    return (this.#since.get(name) ?? (existing + updated > 0 ? 0 : ENOUGH)) >= ENOUGH
  }

  /** @param counts of a batch that has been written @param before those of the import in front of it */
  note(name: string, counts: Pick<Counts, 'existing' | 'updated'>, before: Counts): void {
    const hasMet = counts.existing + counts.updated > 0
    if (!hasMet && this.expectsNone(name, before)) return
    this.#since.set(name, hasMet ? 0 : (this.#since.get(name) ?? 0) + 1)
  }
}
