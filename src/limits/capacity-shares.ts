import type { Capacity, Resource } from './capacity.ts'
import { fairLevel } from './fair-level.ts'
import { UsePerSecond } from './use-per-second.ts'

/** Principals whose load is remembered for a second; of more, the rest has the limits alone. */
const MAX_KNOWN = 10_000
/** What all may use in a second after one with too much load, as a part of what they used in it: at first, … */
const MUCH_LESS = 0.5
/** … and when the load was right before, … */
const LESS = 0.85
/** … but not when it was too much for so many seconds. */
const MANY_SECONDS = 3
/** The same after a second without, while capacity counts as short. */
const MORE = 1.1
/** Milliseconds for which deliveries of an address count as late. */
const LATE_MS = 10_000
/** For so many seconds it is known what the load was before. */
const KNOWN_SECONDS = 10

interface Share {
  readonly second: number
  /** What all together may use in this second. */
  readonly ceiling: number
  /** What each principal may use. */
  readonly level: number
  /** Seconds in a row with too much load. */
  readonly overloaded: number
}

/**
 * Decides who may exceed a limit that only protects capacity: everyone while there is capacity. While it is short, a principal
 * that is alone, and others up to their fair share: what all together may use shrinks until the node keeps up, and those that
 * use the most are cut first. One for the node, for all limits: what a principal uses is counted as load, of which 1 is what
 * one limit allows in a second.
 */
export class CapacityShares {
  readonly #capacity: Capacity
  readonly #wanted: UsePerSecond
  readonly #refused: UsePerSecond
  #share: Share | undefined
  /** When the deliveries of an address were late the last time. */
  readonly #lateAt = new Map<string, number>()

  constructor(capacity: Capacity) {
    this.#capacity = capacity
    this.#wanted = new UsePerSecond(MAX_KNOWN, capacity.now)
    this.#refused = new UsePerSecond(1, capacity.now)
  }

  /** Counts load that a principal wants to cause, whether it is allowed or not. */
  note(who: string, load: number): void {
    this.#wanted.note(who, load)
  }

  /** Counts load that was refused. */
  noteRefused(load: number): void {
    this.#refused.note('', load)
  }

  /** To be called when messages to chat rooms from an address wait for too long. */
  noteLateDeliveries(who: string): void {
    this.#lateAt.delete(who)
    this.#lateAt.set(who, this.#capacity.now())
    const [oldest] = this.#lateAt.keys()
    if (this.#lateAt.size > MAX_KNOWN) this.#lateAt.delete(oldest!)
  }

  mayExceed(who: string, resource: Resource): boolean {
    switch (resource) {
      case 'deliveries':
        // Addresses take turns at being delivered: one whose deliveries are late wants more than its share.
        return !this.#isLate(who)
      case 'disk':
        // What fills the disk is not free again when the load ends.
        return !this.#capacity.isDiskShort
      case 'processor': {
        if (!this.#capacity.isShort || this.#wanted.isOfOne) return true
        const load = this.#wanted.of(who)
        return load !== undefined && load <= this.#level()
      }
    }
  }

  #isLate(who: string): boolean {
    const lateAt = this.#lateAt.get(who)
    if (lateAt === undefined) return false
    if (this.#capacity.now() - lateAt < LATE_MS) return true
    this.#lateAt.delete(who)
    return false
  }

  #level(): number {
    const { second, before, totalBefore } = this.#wanted
    const known = this.#share
    if (known?.second === second) return known.level
    const allowed = totalBefore - this.#refused.totalBefore
    const last = known && second - known.second < KNOWN_SECONDS ? known : { ceiling: 0, overloaded: MANY_SECONDS }
    const { isOverloaded } = this.#capacity
    const overloaded = isOverloaded ? last.overloaded + 1 : 0
    const less = overloaded > MANY_SECONDS ? MUCH_LESS : LESS
    const ceiling = isOverloaded ? allowed * less : Math.max(allowed, last.ceiling) * MORE
    const level = fairLevel(before.values(), ceiling)
    this.#share = { second, ceiling, level, overloaded }
    return level
  }
}
