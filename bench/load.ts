import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WireRequest } from './contestants/contestant.ts'
import { percentile } from './statistics.ts'

/** The load: `requests` are repeated over `connections`, for `seconds` or until `amount` have a response. */
export interface Load {
  readonly url: string
  readonly requests: readonly WireRequest[]
  readonly connections: number
  readonly until: { readonly seconds: number } | { readonly amount: number }
  /** The minimum number of characters of a correct body. */
  readonly minBody: number
  /**
   * Requests per second, sent at even intervals regardless of responses, so that latency includes waiting for a connection.
   * Without it each connection sends its next request after the previous response.
   */
  readonly rate?: number
}

/** The report of the worker. */
export type LoadReport = { readonly fault: string } | LoadOutcome

interface LoadOutcome {
  readonly fault: null
  /** Responses, all of them 2xx: within the measured time and after its end. */
  readonly answered: number
  /** Responses within the measured time. */
  readonly counted: number
  /** The measured time, in milliseconds. */
  readonly elapsed: number
  /** Latency of each counted request in milliseconds, ascending. */
  readonly latencies: Float64Array
}

export interface LoadResult {
  /** The total number of acknowledged requests; none is without a response. */
  readonly acknowledged: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** The load generator, on a separate thread, so that other work of this program does not delay requests. */
export class LoadGenerator {
  readonly #worker = new Worker(new URL('./load-worker.js', import.meta.url))

  /** @throws Error when any response is an error, has a wrong body, or is missing: such a run is invalid */
  async run(load: Load): Promise<LoadResult> {
    this.#worker.postMessage(load)
    // Rejects when the worker exits with an error.
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
