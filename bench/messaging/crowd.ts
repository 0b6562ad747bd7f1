import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BroadcastSpec } from './broadcast.ts'
import type { HistorySpec } from './history-reader.ts'
import type { IdleSpec } from './idle.ts'
import type { PairsSpec } from './pairs-crowd.ts'
import type { ReturningSpec } from './returning.ts'
import type { RoomSpec } from './room.ts'

/** The clients of a scene. */
export type CrowdSpec = RoomSpec | BroadcastSpec | PairsSpec | IdleSpec | HistorySpec | ReturningSpec

/** The work of a run. */
export interface Run {
  readonly seconds: number
  /** Concurrent messages or requests of one sender. */
  readonly inFlight: number
  /** The server clients reconnect to, when it differs from their previous one. */
  readonly url?: string
}

/** The result of a run; all requests have finished. */
export interface Outcome {
  /** Sent messages or requests, all of them acknowledged. */
  readonly acknowledged: number
  /** Received messages, counted at each receiver. */
  readonly delivered: number
  /** Milliseconds from the first send to the last arrival. */
  readonly elapsed: number
  /** Milliseconds from sending to arrival, or from request to response. */
  readonly p50: number
  readonly p99: number
  /** The bytes of the last received message, without its frame header. */
  readonly bytes: number
}

/** The clients of one scene, on a separate thread, so that other work of this program does not delay them. */
export class Crowd {
  readonly #worker: Worker
  #fault: Error | null = null

  constructor(spec: CrowdSpec) {
    this.#worker = new Worker(new URL('./crowd-worker.js', import.meta.url), { workerData: spec })
    // Also between runs, when no caller waits for a message.
    this.#worker.on('error', (error) => {
      this.#fault = error
    })
  }

  /** Resolves when all clients are connected, logged in and prepared. */
  static async gather(spec: CrowdSpec): Promise<Crowd> {
    const crowd = new Crowd(spec)
    await once(crowd.#worker, 'message')
    return crowd
  }

  /** @throws Error when anything was rejected, lost, wrong or late: such a run is invalid */
  async run(run: Run): Promise<Outcome> {
    if (this.#fault) throw this.#fault
    this.#worker.postMessage(run)
    const [outcome] = (await once(this.#worker, 'message')) as [Outcome]
    return outcome
  }

  /** Closes all connections. */
  async disperse(): Promise<void> {
    await this.#worker.terminate()
  }
}
