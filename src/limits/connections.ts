import type { Duplex } from 'node:stream'
import { addressKey } from './address-key.ts'

/**
 * Counts the connections of each address, those that are idle too. A proxy has as many as its clients need, so it is not
 * counted; of the WebSockets that come through it those are whose client it names.
 */
export class Connections {
  readonly #most: number
  readonly #isProxy: (address: string) => boolean
  readonly #counts = new Map<string, number>()
  readonly #counted = new WeakSet<Duplex>()

  /** @param most for one address; 0: any number */
  constructor(most: number, isProxy: (address: string) => boolean) {
    this.#most = most
    this.#isProxy = isProxy
  }

  /**
   * Counts a connection until it closes; once more is no fault.
   * @param address IP address of the client
   * @returns false when its address has too many: the connection is to be ended, and is not counted
   */
  admit(connection: Duplex, address: string): boolean {
    if (this.#most === 0 || address === '' || this.#counted.has(connection) || this.#isProxy(address)) return true
    const key = addressKey(address)
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#most) return false
    this.#counts.set(key, count + 1)
    this.#counted.add(connection)
    connection.once('close', () => this.#forget(key))
    return true
  }

  #forget(key: string): void {
    const left = this.#counts.get(key)! - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}
