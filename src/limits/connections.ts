import { totalmem } from 'node:os'
import type { Duplex } from 'node:stream'
import { mayHave } from '../scheduling/address-share.ts'
import { addressKey } from './address-key.ts'

/** An address may have so many times as many connections as still have room: alone eight ninths of all. */
const TIMES_FREE = 8
/** Files of the process that are none of a client: of the database, of the program, of uploads. */
const OWN_FILES = 256
/** Memory of an idle connection with a client that is logged in, in bytes, with some to spare. */
const CONNECTION_BYTES = 32 * 1024

export interface ConnectionLimits {
  /** What one address may have, as the operator has set it; 0: any number. null: its share of `room`. */
  readonly ofOneAddress: number | null
  /** How many connections this process has room for; 0 where that is not known. */
  readonly room: number
}

/**
 * Counts the connections of each address, those that are idle too. A proxy has as many as its clients need, so it is not
 * counted; of the WebSockets that come through it those are whose client it names.
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
   * Counts a connection until it closes; once more is no fault.
   * @param address IP address of the client
   * @returns false when its address has too many: the connection is to be ended, and is not counted
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

/** Returns how many connections this process has room for, by the files that it may open and the memory of the machine. */
export function roomForConnections(): number {
  const files = maxOpenFiles()
  const memory = Math.floor(Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2)
  const byMemory = Math.floor(memory / CONNECTION_BYTES)
  return files === null ? byMemory : Math.max(1, Math.min(byMemory, files - Math.min(OWN_FILES, files / 2)))
}

/** Returns how many files the process may have open; null where that is not known, or any number. */
function maxOpenFiles(): number | null {
  // Else names are looked up for the addresses of open connections, and nothing goes on meanwhile.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) && soft > 0 ? soft : null
}
