export interface TtlCacheOptions<Value> {
  /** Milliseconds for which a value is kept. */
  readonly age: number
  /** Maximum total weight of all values. */
  readonly size: number
  /**
   * Returns the weight of a value, for values of very different size; when omitted, each weighs 1 and `size` is their maximum
   * number.
   */
  readonly weigh?: (value: Value) => number
  /** Returns the group of a value, for `deleteGroup`. */
  readonly groupOf?: (value: Value) => string
}

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
  readonly until: number
}

/**
 * A cache of values that are expensive to determine, kept for a limited time. When it is full, the oldest value is evicted first.
 * A value heavier than the whole cache is not kept.
 */
export class TtlCache<Value> {
  readonly #age: number
  readonly #size: number
  readonly #weigh: (value: Value) => number
  readonly #groupOf: ((value: Value) => string) | undefined
  readonly #entries = new Map<string, Entry<Value>>()
  /** The keys of each group; empty when values have no groups. */
  readonly #groups = new Map<string, Set<string>>()
  #weight = 0

  constructor({ age, size, weigh = () => 1, groupOf }: TtlCacheOptions<Value>) {
    this.#age = age
    this.#size = size
    this.#weigh = weigh
    this.#groupOf = groupOf
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
    this.#entries.set(key, { value, weight, until: Date.now() + this.#age })
    this.#weight += weight
    if (!this.#groupOf) return
    const group = this.#groupOf(value)
    const keys = this.#groups.get(group)
    if (keys) keys.add(key)
    else this.#groups.set(group, new Set([key]))
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    if (!this.#groupOf) return
    const group = this.#groupOf(entry.value)
    const keys = this.#groups.get(group)!
    keys.delete(key)
    if (keys.size === 0) this.#groups.delete(group)
  }

  /** Deletes all values of a group. */
  deleteGroup(group: string): void {
    for (const key of this.#groups.get(group) ?? []) this.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#groups.clear()
    this.#weight = 0
  }
}
