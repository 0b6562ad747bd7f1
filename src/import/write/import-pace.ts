import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientsServed } from '../../turns/clients-served.ts'
import type { Turn } from './in-order.ts'

/** For how long after a client has asked another one is expected, in milliseconds. */
const EXPECTED = 1000
/** For how long a batch is rested from while clients are served, as a share of its time: the command makes the next one then. */
const REST = 0.8

/**
 * How many batches of imports are worked at. While no client asks for anything, one of an import is read, another written and
 * a third committed, on all processors. While clients are served, it is one of all imports at a time, which takes about one
 * processor: who wakes up where all of them are busy waits some milliseconds at each step of its way, whatever its rank.
 */
export class ImportPace {
  readonly #served: Pick<ClientsServed, 'within'>
  readonly #now: () => number
  #last: Promise<unknown> = Promise.resolve()

  /** @param now the time in milliseconds, which only grows */
  constructor(served: Pick<ClientsServed, 'within'>, now: () => number = () => performance.now()) {
    this.#served = served
    this.#now = now
  }

  /**
   * Works at a batch, when it may.
   * @param turn of the batch in its import
   * @param work told whether it is to do one thing at a time
   */
  async keep<Result>({ comes }: Pick<Turn, 'comes'>, work: (isNarrow: boolean) => Promise<Result>): Promise<Result> {
    if (!this.#served.within(EXPECTED)) return work(false)
    // Only one whose turn it is may keep the others waiting.
    await comes
    const before = this.#last
    const working = this.#workBehind(before, work)
    this.#last = working.then(
      ({ rest }) => sleep(rest),
      () => {},
    )
    return (await working).result
  }

  async #workBehind<Result>(before: Promise<unknown>, work: (isNarrow: boolean) => Promise<Result>) {
    await before
    const began = this.#now()
    const result = await work(true)
    return { result, rest: REST * (this.#now() - began) }
  }
}
