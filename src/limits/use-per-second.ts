/**
 * Counts what principals use in the current second, and remembers the previous one. It is the single source for comparing
 * principals by recent use.
 */
export class UsePerSecond {
  readonly #maxKnown: number
  readonly #now: () => number
  #second = 0
  #used = new Map<string, number>()
  #total = 0
  #usedBefore: ReadonlyMap<string, number> = new Map()
  #totalBefore = 0

  /**
   * @param maxKnown principals counted separately in a second; beyond this number, only the total is counted
   * @param now returns the time in milliseconds, which only grows
   */
  constructor(maxKnown: number, now: () => number) {
    this.#maxKnown = maxKnown
    this.#now = now
  }

  note(who: string, amount: number): void {
    this.#update()
    this.#total += amount
    const used = this.#used.get(who)
    if (used !== undefined || this.#used.size < this.#maxKnown) this.#used.set(who, (used ?? 0) + amount)
  }

  /** Returns what a principal has used in this second; undefined when it is not counted separately. */
  of(who: string): number | undefined {
    this.#update()
    return this.#used.get(who)
  }

  /** The number of the current second. */
  get second(): number {
    this.#update()
    return this.#second
  }

  /** The use of each principal in the previous second. */
  get before(): ReadonlyMap<string, number> {
    this.#update()
    return this.#usedBefore
  }

  /** The use of all principals together in the previous second. */
  get totalBefore(): number {
    this.#update()
    return this.#totalBefore
  }

  /** Whether at most one principal used anything in the current second, and at most one in the previous second. */
  get isOfOne(): boolean {
    this.#update()
    return this.#used.size < 2 && this.#usedBefore.size < 2
  }

  #update(): void {
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
