import { addressKey } from '../limits/address-key.ts'

/** A client that wants to connect. */
export interface Handshake {
  /** IP address */
  readonly address: string
  begin(): void
  /** No place is left for it. */
  refuse(): void
}

/**
 * Handshakes that wait. Addresses take turns, so that nobody is kept out by one who knocks again and again; and when too
 * many wait, those are refused of whom there are most.
 */
export class HandshakeRows {
  readonly #most: number
  readonly #rows = new Map<string, Handshake[]>()
  #size = 0

  /** @param most how many may wait */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  /** Lets a handshake wait, or refuses it or another one. */
  add(handshake: Handshake): void {
    const address = addressKey(handshake.address)
    const row = this.#rows.get(address)
    if (this.#size >= this.#most && !this.#makeRoom(row?.length ?? 0)) {
      handshake.refuse()
      return
    }
    this.#size++
    if (row) row.push(handshake)
    else this.#rows.set(address, [handshake])
  }

  /** Takes whose turn it is; undefined when nobody waits. */
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

  /** Refuses all. */
  clear(): void {
    for (let handshake = this.take(); handshake; handshake = this.take()) handshake.refuse()
  }

  /**
   * Refuses the last one of the longest row.
   * @param own length of the row of the one who comes
   * @returns whether there is room now; where the own row is as long as others, there is none
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
