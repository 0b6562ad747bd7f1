export interface TtlCacheOptions<Value> {
  /** For how long a value is kept, in milliseconds. */
  readonly age: number
  /** What all values may weigh together. */
  readonly size: number
  /** For values of very different size; without it each weighs 1, and `size` is their number. */
  readonly weigh?: (value: Value) => number
  /** The group that a value is in, for `deleteGroup`. */
  readonly groupOf?: (value: Value) => string
}

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
  readonly until: number
}

/**
 * Values that are expensive to find out, kept in memory for a time under a text. When they are too many, the oldest goes
 * first. A value that is too heavy by itself is not kept.
 */
export class TtlCache<Value> {
  readonly #age: number
  readonly #size: number
  readonly #weigh: (value: Value) => number
  readonly #groupOf: ((value: Value) => string) | undefined
  readonly #entries = new Map<string, Entry<Value>>()
  /** The keys of each group; empty where values have no groups. */
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

  /** Forgets all values of a group. */
  deleteGroup(group: string): void {
    for (const key of this.#groups.get(group) ?? []) this.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#groups.clear()
    this.#weight = 0
  }
}
