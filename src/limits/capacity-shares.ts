import type { Capacity, Resource } from './capacity.ts'
import { fairLevel } from './fair-level.ts'
import { UsePerSecond } from './use-per-second.ts'

/** Maximum principals whose load is counted separately in a second; for further ones the limits apply. */
const MAX_KNOWN = 10_000
/** Factor of the allowed load after an overloaded second, when the load before is unknown, or was too high for many seconds. */
const MUCH_LESS = 0.5
/** Factor of the allowed load after any other overloaded second. */
const LESS = 0.85
/** More overloaded seconds in a row than this count as many. */
const MANY_SECONDS = 3
/** Factor after a second without overload, while capacity counts as short. */
const MORE = 1.1
/** Milliseconds for which deliveries of an address count as late. */
const LATE_MS = 10_000
/** Seconds for which the previous load is remembered. */
const KNOWN_SECONDS = 10

interface Share {
  readonly second: number
  /** The maximum load of all principals together in this second. */
  readonly ceiling: number
  /** The maximum load of each principal. */
  readonly level: number
  /** Consecutive overloaded seconds. */
  readonly overloaded: number
}

/**
 * Decides which principals may exceed a limit that only protects capacity: all of them while there is capacity. While it is
 * short, a lone principal may, and others up to their fair share: the total shrinks until the node keeps up, and the principals
 * with the most load are cut first. One instance per node for all limits. Use is counted as load, where 1 is what one limit
 * allows in a second.
 */
export class CapacityShares {
  readonly #capacity: Capacity
  readonly #wanted: UsePerSecond
  readonly #refused: UsePerSecond
  #share: Share | undefined
  /** When the deliveries of an address were last late. */
  readonly #lateAt = new Map<string, number>()

  constructor(capacity: Capacity) {
    this.#capacity = capacity
    this.#wanted = new UsePerSecond(MAX_KNOWN, capacity.now)
    this.#refused = new UsePerSecond(1, capacity.now)
  }

  /** Counts load that a principal requests, whether it is allowed or not. */
  note(who: string, load: number): void {
    this.#wanted.note(who, load)
  }

  /** Counts load that was rejected. */
  noteRefused(load: number): void {
    this.#refused.note('', load)
  }

  /** Records that messages to chat rooms from an address wait too long. */
  noteLateDeliveries(who: string): void {
    this.#lateAt.delete(who)
    this.#lateAt.set(who, this.#capacity.now())
    const [oldest] = this.#lateAt.keys()
    if (this.#lateAt.size > MAX_KNOWN) this.#lateAt.delete(oldest!)
  }

  mayExceed(who: string, resource: Resource): boolean {
    switch (resource) {
      case 'deliveries':
        // Deliveries alternate between addresses: an address with late deliveries requests more than its share.
        return !this.#isLate(who)
      case 'disk':
        // Disk space stays used after the load ends.
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
