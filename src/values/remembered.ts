/**
 * Values that are expensive to find out, kept for a time by a text: each for `time` milliseconds, at most `size` of them,
 * of which the oldest goes first.
 */
export class Remembered<Value> {
  readonly #time: number
  readonly #size: number
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(time: number, size: number) {
    this.#time = time
    this.#size = size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > Date.now() ? entry.value : undefined
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#size) this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, { value, until: Date.now() + this.#time })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** Forgets every key with this value. */
  deleteValue(value: Value): void {
    for (const [key, entry] of this.#entries) if (entry.value === value) this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
