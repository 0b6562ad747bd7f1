/** An object that stores data by key, and can forget a key. */
export interface KeyedStore {
  forget(key: string): void
}

/**
 * The most recent keys of all limiters together, oldest first. When the maximum is reached, each new key evicts the oldest, whose
 * counts are lost. This bounds the memory used for millions of addresses.
 */
export class KnownKeys {
  readonly #rememberers: (KeyedStore | undefined)[]
  readonly #keys: string[]
  #next = 0

  constructor(room: number) {
    this.#rememberers = new Array(room).fill(undefined)
    this.#keys = new Array(room).fill('')
  }

  add(keyedStore: KeyedStore, key: string): void {
    this.#rememberers[this.#next]?.forget(this.#keys[this.#next]!)
    this.#rememberers[this.#next] = keyedStore
    this.#keys[this.#next] = key
    this.#next = (this.#next + 1) % this.#keys.length
  }
}
