import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BroadcastSpec } from './broadcast.ts'
import type { HistorySpec } from './history-reader.ts'
import type { IdleSpec } from './idle.ts'
import type { PairsSpec } from './pairs-crowd.ts'
import type { ReturningSpec } from './returning.ts'
import type { RoomSpec } from './room.ts'

/** Who is to be there. */
export type CrowdSpec = RoomSpec | BroadcastSpec | PairsSpec | IdleSpec | HistorySpec | ReturningSpec

/** What they are to do. */
export interface Run {
  readonly seconds: number
  /** Messages or requests of one sender that are under way at once. */
  readonly inFlight: number
  /** Where clients come back to, if it is not the server that they were at. */
  readonly url?: string
}

/** What came of it; nothing was under way any more at the end. */
export interface Outcome {
  /** Messages, or requests, that were sent; all of them were acknowledged. */
  readonly acknowledged: number
  /** Messages that arrived, counted at each receiver. */
  readonly delivered: number
  /** Milliseconds from the first send to the last arrival. */
  readonly elapsed: number
  /** Milliseconds from sending to arriving; of requests to their answers. */
  readonly p50: number
  readonly p99: number
  /** The length of what arrived last, without the header of its frame, in bytes. */
  readonly bytes: number
}

/** The clients of one scene, on a thread of their own: what this program does else must not delay them. */
export class Crowd {
  readonly #worker: Worker
  #fault: Error | null = null

  constructor(spec: CrowdSpec) {
    this.#worker = new Worker(new URL('./crowd-worker.js', import.meta.url), { workerData: spec })
    // Also between runs, when nobody waits for a message.
    this.#worker.on('error', (error) => {
      this.#fault = error
    })
  }

  /** Resolves when all are connected, logged in and where they belong. */
  static async gather(spec: CrowdSpec): Promise<Crowd> {
    const crowd = new Crowd(spec)
    await once(crowd.#worker, 'message')
    return crowd
  }

  /** @throws Error when anything was refused, lost, wrong or late: such a run measured nothing */
  async run(run: Run): Promise<Outcome> {
    if (this.#fault) throw this.#fault
    this.#worker.postMessage(run)
    const [outcome] = (await once(this.#worker, 'message')) as [Outcome]
    return outcome
  }

  /** Ends all connections. */
  async disperse(): Promise<void> {
    await this.#worker.terminate()
  }
}
