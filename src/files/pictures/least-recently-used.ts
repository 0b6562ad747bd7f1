interface Kept<Value> {
  readonly value: Value
  readonly weight: number
}

/** A map with a maximum total weight and a maximum number of entries. Evicts the least recently used entries. */
export class LeastRecentlyUsed<Value> {
  readonly #maxWeight: number
  readonly #maxValues: number
  readonly #whenLeft: (name: string, value: Value) => void
  /** In order of use, least recently used first. */
  #values = new Map<string, Kept<Value>>()
  #weight = 0

  /** @param whenLeft called for each evicted entry */
  constructor(maxWeight: number, maxValues: number, whenLeft: (name: string, value: Value) => void = () => undefined) {
    this.#maxWeight = maxWeight
    this.#maxValues = maxValues
    this.#whenLeft = whenLeft
  }

  get weight(): number {
    return this.#weight
  }

  /** Returns whether a name is present, without marking it as used. */
  has(name: string): boolean {
    return this.#values.has(name)
  }

  get(name: string): Value | undefined {
    const kept = this.#values.get(name)
    if (!kept) return undefined
    this.#values.delete(name)
    this.#values.set(name, kept)
    return kept.value
  }

  set(name: string, value: Value, weight: number): void {
    this.delete(name)
    this.#values.set(name, { value, weight })
    this.#weight += weight
    this.#makeRoom()
  }

  delete(name: string): Value | undefined {
    const kept = this.#values.get(name)
    if (!kept) return undefined
    this.#values.delete(name)
    this.#weight -= kept.weight
    return kept.value
  }

  /** Adds entries as less recently used than all present ones, in order of use. */
  addBefore(older: Iterable<readonly [name: string, value: Value, weight: number]>): void {
    const values = new Map<string, Kept<Value>>()
    for (const [name, value, weight] of older) {
      if (this.#values.has(name)) continue
      values.set(name, { value, weight })
      this.#weight += weight
    }
    for (const [name, kept] of this.#values) values.set(name, kept)
    this.#values = values
    this.#makeRoom()
  }

  #makeRoom(): void {
    for (const [name, { value }] of this.#values) {
      if (this.#weight <= this.#maxWeight && this.#values.size <= this.#maxValues) return
      this.delete(name)
      this.#whenLeft(name, value)
    }
  }
}
