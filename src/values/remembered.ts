interface Entry<Value> {
  readonly value: Value
  readonly weight: number
  readonly until: number
}

/**
 * Values that are expensive to find out, kept for a time by a text: each for `time` milliseconds, and as many as weigh
 * `size` together, of which the oldest goes first.
 */
export class Remembered<Value> {
  readonly #time: number
  readonly #size: number
  readonly #weigh: (value: Value) => number
  readonly #entries = new Map<string, Entry<Value>>()
  #weight = 0

  /** @param weigh for values of very different size; without it each weighs 1, and `size` is their number */
  constructor(time: number, size: number, weigh: (value: Value) => number = () => 1) {
    this.#time = time
    this.#size = size
    this.#weigh = weigh
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > Date.now() ? entry.value : undefined
  }

  set(key: string, value: Value): void {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#size) return
    for (const oldest of this.#entries.keys()) {
      if (this.#weight + weight <= this.#size) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, weight, until: Date.now() + this.#time })
    this.#weight += weight
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }

  /** Forgets every key with this value. */
  deleteValue(value: Value): void {
    for (const [key, entry] of this.#entries) if (entry.value === value) this.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
