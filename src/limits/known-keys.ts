/** What remembers keys, and can forget one. */
export interface Rememberer {
  forget(key: string): void
}

/**
 * The latest keys that all limiters together remember, oldest first: for each one more than there is room for the oldest
 * is forgotten. Millions of addresses take no more memory than that; what they have done until then is forgiven them.
 */
export class KnownKeys {
  readonly #rememberers: (Rememberer | undefined)[]
  readonly #keys: string[]
  #next = 0

  constructor(room: number) {
    this.#rememberers = new Array(room).fill(undefined)
    this.#keys = new Array(room).fill('')
  }

  add(rememberer: Rememberer, key: string): void {
    this.#rememberers[this.#next]?.forget(this.#keys[this.#next]!)
    this.#rememberers[this.#next] = rememberer
    this.#keys[this.#next] = key
    this.#next = (this.#next + 1) % this.#keys.length
  }
}
