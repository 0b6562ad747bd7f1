import { addressKey } from '../limits/address-key.ts'

/** A client that wants to connect. */
export interface Handshake {
  /** IP address. */
  readonly address: string
  begin(): void
  /** Rejects it, because too many handshakes are waiting. */
  refuse(): void
}

/**
 * The queue of handshakes. Addresses are served round robin, so that repeated attempts of one address do not block others. When
 * too many are waiting, the address with the most loses one.
 */
export class HandshakeRows {
  readonly #max: number
  readonly #rows = new Map<string, Handshake[]>()
  #size = 0

  /** @param max maximum number of waiting handshakes */
  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#size
  }

  /** Queues a handshake, or rejects it or another one. */
  add(handshake: Handshake): void {
    const address = addressKey(handshake.address)
    const row = this.#rows.get(address)
    if (this.#size >= this.#max && !this.#makeRoom(row?.length ?? 0)) {
      handshake.refuse()
      return
    }
    this.#size++
    if (row) row.push(handshake)
    else this.#rows.set(address, [handshake])
  }

  /** Removes and returns the next handshake; undefined when none is waiting. */
  take(): Handshake | undefined {
    const next = this.#rows.entries().next()
    if (next.done) return undefined
    const [address, row] = next.value
    const handshake = row.shift()!
    this.#size--
    this.#rows.delete(address)
    if (row.length > 0) this.#rows.set(address, row)
    return handshake
  }

  /** Rejects all waiting handshakes. */
  clear(): void {
    for (let handshake = this.take(); handshake; handshake = this.take()) handshake.refuse()
  }

  /**
   * Rejects the last handshake of the longest row.
   * @param own length of the row of the new handshake
   * @returns whether a handshake was rejected; not when the own row is as long as others
   */
  #makeRoom(own: number): boolean {
    if (this.#rows.size === 0 || own + 1 >= this.#size / this.#rows.size) return false
    let longest: Handshake[] = []
    for (const row of this.#rows.values()) if (row.length > longest.length) longest = row
    longest.pop()?.refuse()
    this.#size--
    return true
  }
}
