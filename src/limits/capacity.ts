import { performance } from 'node:perf_hooks'

/** Milliseconds between two samples of the event loop. */
const SAMPLE_MS = 250
/** Fraction of a sample in which the event loop is busy, above which capacity is short. */
const BUSY = 0.85
/** Statements waiting for a connection, above which capacity is short. */
const MANY_WAITING = 50
/** Pictures waiting to be made, above which capacity is short. */
const MANY_PICTURES = 16
/** Milliseconds for which capacity stays short after an overload: otherwise limits would let one client through in bursts. */
const HOLD_MS = 60_000
/** Milliseconds for which an overload lasts after it was measured: all of the next second. */
const OVERLOAD_MS = 1000 + SAMPLE_MS

/**
 * The resources that limits protect. `processor`: the event loop, the database and the threads that make pictures. `deliveries`:
 * messages to chat rooms, whose queues alternate between addresses (messaging/delivery-order.ts). `disk`: free space.
 */
export type Resource = 'processor' | 'deliveries' | 'disk'

export interface CapacityOptions {
  /** Returns the number of statements waiting for a connection to the database. */
  readonly waiting: () => number
  /** Returns the number of pictures waiting to be made; 0 when omitted. */
  readonly picturesWaiting?: () => number
  /** Returns whether the disk has little free space; false when omitted. */
  readonly isDiskShort?: () => boolean
  /** Returns the fraction of the time since the last call in which the event loop was busy; 0 to 1. */
  readonly busy?: () => number
  /** Returns the time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * Measures whether this node is short of capacity. Only then do limits apply that only protect capacity: many users share one
 * address behind the gateway of a mobile network, and may use spare capacity (docs/security.md).
 */
export class Capacity {
  readonly now: () => number
  readonly #waiting: () => number
  readonly #picturesWaiting: () => number
  readonly #isDiskShort: () => boolean
  readonly #busy: () => number
  readonly #timer: NodeJS.Timeout
  #overloadedAt = Number.NEGATIVE_INFINITY

  constructor({
    waiting,
    picturesWaiting = () => 0,
    isDiskShort = () => false,
    busy = busyMeter(),
    now = () => performance.now(),
  }: CapacityOptions) {
    this.now = now
    this.#waiting = waiting
    this.#picturesWaiting = picturesWaiting
    this.#isDiskShort = isDiskShort
    this.#busy = busy
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS).unref()
  }

  /** Whether the node was overloaded within the last minute. */
  get isShort(): boolean {
    return this.now() - this.#overloadedAt < HOLD_MS
  }

  /** Whether the node was overloaded within the last second. */
  get isOverloaded(): boolean {
    return this.now() - this.#overloadedAt < OVERLOAD_MS
  }

  get isDiskShort(): boolean {
    return this.#isDiskShort()
  }

  /** Takes a sample; called at intervals. */
  sample(): void {
    const hasBacklog = this.#waiting() > MANY_WAITING || this.#picturesWaiting() > MANY_PICTURES
    // Calls `#busy` each time, because it measures the time since its last call.
    if (this.#busy() > BUSY || hasBacklog) this.#overloadedAt = this.now()
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
