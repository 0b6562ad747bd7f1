import { performance } from 'node:perf_hooks'

/** How often the event loop is measured, in milliseconds. */
const SAMPLE_MS = 250
/** Share of a sample in which the event loop was busy from which capacity is short. */
const BUSY = 0.85
/** Statements that wait for a connection from which capacity is short. */
const MANY_WAITING = 50
/** Pictures that wait to be made from which capacity is short. */
const MANY_PICTURES = 16
/** Capacity stays short for so long after it was: otherwise limits would let one client through in bursts. */
const HOLD_MS = 60_000
/** Load counts as too much for so long after it was measured: for all of the next second. */
const OVERLOAD_MS = 1000 + SAMPLE_MS

/**
 * What limits of capacity protect. `processor`: the event loop, the database and the threads that make pictures. `deliveries`: messages to chat
 * rooms, whose queues serve addresses in turns (messaging/delivery-order.ts). `disk`: free space.
 */
export type Resource = 'processor' | 'deliveries' | 'disk'

export interface CapacityOptions {
  /** Statements that wait for a connection to the database. */
  readonly waiting: () => number
  /** Pictures that wait to be made; none by default. */
  readonly picturesWaiting?: () => number
  /** Whether the disk has little free space; false by default. */
  readonly isDiskShort?: () => boolean
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

  /** Whether the load was too much within the last minute. */
  get isShort(): boolean {
    return this.now() - this.#overloadedAt < HOLD_MS
  }

  /** Whether it was in the last second. */
  get isOverloaded(): boolean {
    return this.now() - this.#overloadedAt < OVERLOAD_MS
  }

  get isDiskShort(): boolean {
    return this.#isDiskShort()
  }

  /** Measures; called at intervals. */
  sample(): void {
    const isBehind = this.#waiting() > MANY_WAITING || this.#picturesWaiting() > MANY_PICTURES
    // Measured each time: it says how busy the event loop was since the last.
    if (this.#busy() > BUSY || isBehind) this.#overloadedAt = this.now()
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
