import type { ClientsServed } from '../../scheduling/clients-served.ts'
import { Sequence } from '../../scheduling/sequence.ts'
import type { BatchSlot } from './in-order.ts'

/** Milliseconds after a client's request in which another one is expected. */
const EXPECTED = 1000

/**
 * Limits how many batches of imports run at a time. While no client sends requests, an import reads one batch, writes another and
 * commits a third, on all processors. While clients are served, one batch of all imports runs at a time, in slices with pauses in
 * between, which takes less than one processor: a process that wakes up while all processors are busy waits some milliseconds at
 * each step, whatever its priority.
 */
export class ImportPace {
  readonly #served: Pick<ClientsServed, 'within'>
  readonly #sequence = new Sequence()

  constructor(served: Pick<ClientsServed, 'within'>) {
    this.#served = served
  }

  /**
   * Runs the work of a batch when it may start.
   * @param turn the position of the batch in its import
   * @param work called with whether to do one thing at a time, in slices
   */
  async keep<Result>(
    { ready: comes }: Pick<BatchSlot, 'ready'>,
    work: (isNarrow: boolean) => Promise<Result>,
  ): Promise<Result> {
    if (!this.#served.within(EXPECTED)) return work(false)
    // Only the next batch of its import may make other imports wait.
    await comes
    return this.#sequence.run(() => work(true))
  }
}
