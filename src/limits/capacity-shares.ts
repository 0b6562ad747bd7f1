import type { Capacity } from './capacity.ts'

/** Principals whose use is remembered for a second; of more, the rest has the limit alone. */
const MAX_KNOWN = 10_000

/**
 * Decides who may exceed a limit that only protects capacity: everyone while there is capacity, and while it is short, who is
 * alone, or uses no more than all others together do.
 */
export class CapacityShares {
  readonly #capacity: Capacity
  readonly #now: () => number
  #second = 0
  #used = new Map<string, number>()
  #total = 0
  #totalBefore = 0
  #usedBefore = new Map<string, number>()

  /** @param now the time in milliseconds, which only grows */
  constructor(capacity: Capacity, now: () => number = () => performance.now()) {
    this.#capacity = capacity
    this.#now = now
  }

  /** Notes what is used, whether it is allowed or not. */
  note(who: string, amount: number): void {
    this.#capacity.note(who)
    this.#turn()
    this.#total += amount
    const used = this.#used.get(who)
    if (used !== undefined || this.#used.size < MAX_KNOWN) this.#used.set(who, (used ?? 0) + amount)
  }

  /** @param used by the principal in this second, with what it asks for */
  mayExceed(who: string, used: number): boolean {
    if (!this.#capacity.isShort || this.#capacity.isForOne) return true
    this.#turn()
    return used <= this.#totalBefore - (this.#usedBefore.get(who) ?? 0)
  }

  #turn(): void {
    const second = Math.floor(this.#now() / 1000)
    if (second === this.#second) return
    const isNext = second === this.#second + 1
    this.#usedBefore = isNext ? this.#used : new Map()
    this.#totalBefore = isNext ? this.#total : 0
    this.#used = new Map()
    this.#total = 0
    this.#second = second
  }
}
