import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/pool.ts'
import { recur } from '../jobs/recurring.ts'
import type { Log } from '../log.ts'
import { measureApps } from './app-sizes.ts'
import type { Counted, DatabaseFigures, State } from './figures.ts'
import { addHistory, readDatabase } from './history-table.ts'

/** Milliseconds from the start to the first row, and between two rows. */
const FIRST = 5_000
const PAUSE = 60_000
/** Maximum time that the shutdown waits for the last row, in milliseconds. */
const STOP_TIMEOUT_MS = 2_000

export interface NodeHealthOptions {
  readonly database: Database
  /** The directory whose disk is measured. */
  readonly directory: string
  readonly port: () => number
  readonly counted: () => Promise<Counted>
  readonly websockets: () => number
  /** Open sockets, including those of WebSockets. */
  readonly sockets: () => Promise<number>
  readonly log: Log
}

interface Measured {
  readonly at: number
  readonly counted: Counted
  readonly database: DatabaseFigures
  readonly loop: ReturnType<typeof performance.eventLoopUtilization>
}

/** Measures this node every minute and stores a row. It reads counters that other parts keep anyway. */
export class NodeHealth {
  readonly #options: NodeHealthOptions
  /** The measurement at the end of the last row; null before the first one. */
  #before: Measured | null = null
  #stop = () => {}

  constructor(options: NodeHealthOptions) {
    this.#options = options
  }

  /** The name of the node in the history. It stays the same after a restart. */
  get name(): string {
    return `${hostname()}:${this.#options.port()}`
  }

  start(): void {
    const { log } = this.#options
    this.#stop = recur(() => this.#record(), {
      delay: FIRST,
      interval: PAUSE,
      failed: (reason) => log.warn({ reason }, 'storing health history failed'),
    })
  }

  /** Stores a last row with the measurements since the row before. */
  async stop(): Promise<void> {
    this.#stop()
    // If the database cannot be reached, a minute of the history is missing.
    const recorded = this.#record().catch(() => {})
    await Promise.race([recorded, sleep(STOP_TIMEOUT_MS, null, { ref: false })])
  }

  async state(): Promise<State> {
    const { database, directory, websockets, sockets } = this.#options
    const [disk, open] = await Promise.all([statfs(directory), sockets()])
    return {
      httpConnections: Math.max(0, open - websockets()),
      websockets: websockets(),
      waiting: database.waiting,
      memory: process.memoryUsage.rss(),
      diskFree: disk.bavail * disk.bsize,
      diskTotal: disk.blocks * disk.bsize,
    }
  }

  async #record(): Promise<void> {
    const { database, counted } = this.#options
    const now: Measured = {
      at: performance.now(),
      counted: await counted(),
      database: await readDatabase(database),
      loop: performance.eventLoopUtilization(),
    }
    const before = this.#before
    this.#before = now
    const { cacheHits, cacheMisses, ...others } = now.database
    const since = (last: number, first: number | undefined) => Math.max(0, last - (first ?? 0))
    await addHistory(database, {
      ...others,
      ...(await this.state()),
      node: this.name,
      seconds: (now.at - (before?.at ?? 0)) / 1000,
      requests: since(now.counted.requests, before?.counted.requests),
      refused: since(now.counted.refused, before?.counted.refused),
      failed: since(now.counted.failed, before?.counted.failed),
      latency: now.counted.latency.map((count, group) => since(count, before?.counted.latency[group])),
      // The counters of the database are older than this process.
      cacheHits: before ? since(cacheHits, before.database.cacheHits) : 0,
      cacheMisses: before ? since(cacheMisses, before.database.cacheMisses) : 0,
      busy: (before ? performance.eventLoopUtilization(now.loop, before.loop) : now.loop).utilization,
    })
    await measureApps(database)
  }
}
