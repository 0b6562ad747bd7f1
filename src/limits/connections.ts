import type { Duplex } from 'node:stream'
import { addressKey } from './address-key.ts'

/**
 * Counts the connections of each address, those that are idle too. A proxy has as many as its clients need, so it is not
 * counted; of the WebSockets that come through it those are whose client it names.
 */
export class Connections {
  readonly #most: number
  readonly #isProxy: (address: string) => boolean
  readonly #spare: number
  #total = 0
  readonly #counts = new Map<string, number>()
  readonly #counted = new WeakSet<Duplex>()

  /**
   * @param most for one address; 0: any number
   * @param spare connections of all addresses together up to which one address may have more than that: many honest users share
   *   one address behind the gateway of a mobile network
   */
  constructor(most: number, isProxy: (address: string) => boolean, spare = 0) {
    this.#most = most
    this.#isProxy = isProxy
    this.#spare = spare
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
    if (count >= this.#most && this.#total >= this.#spare) return false
    this.#counts.set(key, count + 1)
    this.#total++
    this.#counted.add(connection)
    connection.once('close', () => this.#forget(key))
    return true
  }

  #forget(key: string): void {
    this.#total--
    const left = this.#counts.get(key)! - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}

/** Returns half of the files that this process may have open, of which each connection is one; 0 where that is not known. */
export function halfOfOpenFiles(): number {
  // Else names are looked up for the addresses of open connections, and nothing goes on meanwhile.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? Math.floor(soft / 2) : 0
}
