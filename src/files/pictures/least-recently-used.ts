interface Kept<Value> {
  readonly value: Value
  readonly weight: number
}

/** Values by name, up to a weight and a number; those that were used longest ago leave first. */
export class LeastRecentlyUsed<Value> {
  readonly #mostWeight: number
  readonly #mostValues: number
  readonly #whenLeft: (name: string, value: Value) => void
  /** The one used longest ago is the first. */
  #values = new Map<string, Kept<Value>>()
  #weight = 0

  /** @param whenLeft is told of each that leaves because others need the room */
  constructor(
    mostWeight: number,
    mostValues: number,
    whenLeft: (name: string, value: Value) => void = () => undefined,
  ) {
    this.#mostWeight = mostWeight
    this.#mostValues = mostValues
    this.#whenLeft = whenLeft
  }

  get weight(): number {
    return this.#weight
  }

  /** Does not count as use. */
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

  /** Adds what was used before all that is here, the one used longest ago first. */
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
      if (this.#weight <= this.#mostWeight && this.#values.size <= this.#mostValues) return
      this.delete(name)
      this.#whenLeft(name, value)
    }
  }
}
