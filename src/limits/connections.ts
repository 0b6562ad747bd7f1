import type { Duplex } from 'node:stream'
import { machineMemory } from '../machine-memory.ts'
import { mayHave } from '../scheduling/address-share.ts'
import { addressKey } from './address-key.ts'

/** An address may hold this many times the connections that are still free: alone, eight ninths of all. */
const TIMES_FREE = 8
/** Open files reserved for purposes other than clients: database connections, the program, uploads. */
const OWN_FILES = 256
/** Bytes of memory of an idle connection with a logged-in client, with a margin. */
const CONNECTION_BYTES = 32 * 1024
/** Bytes of memory of the TLS state of a connection: measured 34 KB. */
const TLS_BYTES = 40 * 1024

export interface ConnectionLimits {
  /** Maximum connections of one address, as configured; 0 for no limit. null: its share of `room`. */
  readonly ofOneAddress: number | null
  /** Maximum connections of this process; 0 when unknown. */
  readonly room: number
}

/**
 * Counts the connections of each address, including idle ones. A proxy has as many as its clients need, so it is not counted; a
 * WebSocket through it is counted for the client that the proxy names.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #isProxy: (address: string) => boolean
  #total = 0
  readonly #counts = new Map<string, number>()
  readonly #open = new WeakSet<Duplex>()
  readonly #counted = new WeakSet<Duplex>()

  constructor(limits: ConnectionLimits, isProxy: (address: string) => boolean) {
    this.#limits = limits
    this.#isProxy = isProxy
  }

  /**
   * Counts a connection until it closes. Repeated calls for a connection have no effect.
   * @param address IP address of the client
   * @returns false when its address has too many: the caller must end the connection, which is not counted
   */
  admit(connection: Duplex, address: string): boolean {
    if (address === '' || this.#counted.has(connection)) return true
    const key = this.#isProxy(address) ? null : addressKey(address)
    if (key !== null && !this.#hasRoom(this.#counts.get(key) ?? 0)) return false
    if (!this.#open.has(connection)) {
      this.#open.add(connection)
      this.#total++
      connection.once('close', () => this.#total--)
    }
    if (key === null) return true
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#counted.add(connection)
    connection.once('close', () => this.#forget(key))
    return true
  }

  /** Treats a TLS connection as the admitted TCP connection that carries it, so that it is not counted again. */
  continueAs(carrier: Duplex, secured: Duplex): void {
    if (this.#open.has(carrier)) this.#open.add(secured)
    if (this.#counted.has(carrier)) this.#counted.add(secured)
  }

  #hasRoom(own: number): boolean {
    const { ofOneAddress, room } = this.#limits
    if (ofOneAddress !== null) return ofOneAddress === 0 || own < ofOneAddress
    return room === 0 || mayHave({ guaranteed: 0, inAll: room, times: TIMES_FREE }, own, this.#total)
  }

  #forget(key: string): void {
    const left = this.#counts.get(key)! - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}

/** Returns the maximum number of connections of this process, by its limit of open files and the memory of the machine. */
export function roomForConnections(isTls = false): number {
  const files = maxOpenFiles()
  const byMemory = Math.floor(machineMemory() / 2 / (isTls ? CONNECTION_BYTES + TLS_BYTES : CONNECTION_BYTES))
  return files === null ? byMemory : Math.max(1, Math.min(byMemory, files - Math.min(OWN_FILES, files / 2)))
}

/** Returns the maximum number of open files of the process; null when it is unknown or unlimited. */
export function maxOpenFiles(): number | null {
  // Otherwise the report resolves the addresses of open connections to names, which blocks the process.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) && soft > 0 ? soft : null
}
