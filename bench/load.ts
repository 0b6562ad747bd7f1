import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WireRequest } from './contestants/contestant.ts'
import { percentile } from './statistics.ts'

/** What to send: `requests` again and again over `connections`, for `seconds` or until `amount` are answered. */
export interface Load {
  readonly url: string
  readonly requests: readonly WireRequest[]
  readonly connections: number
  readonly until: { readonly seconds: number } | { readonly amount: number }
  /** A body with fewer characters is a wrong answer. */
  readonly leastBody: number
  /**
   * Requests per second, sent at even times whether or not earlier ones have been answered, so that waiting for a
   * connection shows. Without it each connection sends its next request when it has the answer to the one before.
   */
  readonly rate?: number
}

/** What the worker reports. */
export type LoadReport = { readonly fault: string } | LoadOutcome

interface LoadOutcome {
  readonly fault: null
  /** Answers, all of them 2xx: those inside the measured time and those that came after its end. */
  readonly answered: number
  /** Answers inside the measured time. */
  readonly counted: number
  /** The measured time, in milliseconds. */
  readonly elapsed: number
  /** Milliseconds of each counted request, ascending. */
  readonly latencies: Float64Array
}

export interface LoadResult {
  /** Requests that were acknowledged in all; none was left without an answer. */
  readonly acknowledged: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** The load generator, on a thread of its own: what this program does else must not delay a request. */
export class LoadGenerator {
  readonly #worker = new Worker(new URL('./load-worker.js', import.meta.url))

  /** @throws Error when any answer is an error, has a wrong body, or is missing: such a run measured nothing */
  async run(load: Load): Promise<LoadResult> {
    this.#worker.postMessage(load)
    // Rejects when the worker ends by an error instead.
    const [report] = (await once(this.#worker, 'message')) as [LoadReport]
    if (report.fault !== null) throw new Error(`${load.url}: ${report.fault}`)
    return {
      acknowledged: report.answered,
      perSecond: (report.counted * 1000) / report.elapsed,
      p50: percentile(report.latencies, 0.5),
      p99: percentile(report.latencies, 0.99),
    }
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
