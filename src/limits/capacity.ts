import { performance } from 'node:perf_hooks'

/** How often the event loop is measured, in milliseconds. */
const SAMPLE_MS = 250
/** Share of a sample in which the event loop was busy from which capacity is short. */
const BUSY = 0.85
/** Statements that wait for a connection from which capacity is short. */
const MANY_WAITING = 50
/** Capacity stays short for so long after it was: limits would else let one client through in bursts. */
const HOLD_MS = 60_000

export interface CapacityOptions {
  /** Statements that wait for a connection to the database. */
  readonly waiting: () => number
  /** Share of the time since the last call in which the event loop was busy; 0 to 1. */
  readonly busy?: () => number
  /** The time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * Whether this node is short of capacity. Limits that only protect capacity apply then: many honest users share one address
 * behind the gateway of a mobile network, and may use spare capacity (docs/security.md).
 */
export class Capacity {
  readonly #waiting: () => number
  readonly #busy: () => number
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  #shortUntil = Number.NEGATIVE_INFINITY
  /** Principals of this second and of the one before. */
  #second = 0
  #active = new Set<string>()
  #activeBefore = 0

  constructor({ waiting, busy = busyMeter(), now = () => performance.now() }: CapacityOptions) {
    this.#waiting = waiting
    this.#busy = busy
    this.#now = now
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS).unref()
  }

  get isShort(): boolean {
    return this.#now() < this.#shortUntil
  }

  /** Measures; called at intervals. */
  sample(): void {
    if (this.#busy() > BUSY || this.#waiting() > MANY_WAITING) this.#shortUntil = this.#now() + HOLD_MS
  }

  /** Notes that a principal uses capacity. @param who an address */
  note(who: string): void {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      this.#activeBefore = second === this.#second + 1 ? this.#active.size : 0
      this.#active = new Set()
      this.#second = second
    }
    // Two are enough to know that one is not alone.
    if (this.#active.size < 2) this.#active.add(who)
  }

  /** Whether no more than one principal uses capacity in these seconds. */
  get isForOne(): boolean {
    return this.#active.size < 2 && this.#activeBefore < 2
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

function busyMeter(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
