import type { ClientsServed } from '../../scheduling/clients-served.ts'
import { Sequence } from '../../scheduling/sequence.ts'
import type { Turn } from './in-order.ts'

/** For how long after a client has asked another one is expected, in milliseconds. */
const EXPECTED = 1000

/**
 * How many batches of imports are worked at. While no client asks for anything, one of an import is read, another written and
 * a third committed, on all processors. While clients are served, it is one of all imports at a time, and in pieces with pauses
 * in between, which takes less than one processor: who wakes up where all of them are busy waits some milliseconds at each step
 * of its way, whatever its rank.
 */
export class ImportPace {
  readonly #served: Pick<ClientsServed, 'within'>
  readonly #sequence = new Sequence()

  constructor(served: Pick<ClientsServed, 'within'>) {
    this.#served = served
  }

  /**
   * Works at a batch, when it may.
   * @param turn of the batch in its import
   * @param work told whether it is to do one thing at a time, in pieces
   */
  async keep<Result>({ comes }: Pick<Turn, 'comes'>, work: (isNarrow: boolean) => Promise<Result>): Promise<Result> {
    if (!this.#served.within(EXPECTED)) return work(false)
    // Only one whose turn it is may keep the others waiting.
    await comes
    return this.#sequence.run(() => work(true))
  }
}
