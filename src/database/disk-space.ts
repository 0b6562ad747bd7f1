import { SERVER } from '../scheduling/principal.ts'
import type { ConnectionQueue } from './connection-queue.ts'
import { isDiskFull } from './faults.ts'

/** How often it is tried whether there is space again, in milliseconds. */
const RETRY = 2000

export interface DiskSpaceOptions {
  /** Writes about a megabyte and takes it back; fails when there is no space. */
  readonly tryToWrite: () => Promise<unknown>
  /** Called when the disk is full, and when there is space again: once each. */
  readonly changed: (full: boolean) => void
}

/**
 * Whether the database has run out of disk space. A write that failed says so; that there is space again is found out by
 * trying, because small writes go on succeeding in room that is left on pages.
 */
export class DiskSpace {
  readonly #options: DiskSpaceOptions
  #full = false
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: DiskSpaceOptions) {
    this.#options = options
  }

  get full(): boolean {
    return this.#full
  }

  /** Takes note of why a statement failed. */
  note(error: unknown): void {
    if (this.#full || this.#stopped || !isDiskFull(error)) return
    this.#full = true
    this.#options.changed(true)
    this.#tryLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #tryLater(): void {
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#try(), RETRY).unref()
  }

  async #try(): Promise<void> {
    try {
      await this.#options.tryToWrite()
    } catch {
      return this.#tryLater()
    }
    this.#full = false
    this.#options.changed(false)
  }
}

/** Writes about a megabyte in a transaction that is rolled back. @throws what writing fails with */
export async function writeAndRollBack(connections: ConnectionQueue): Promise<void> {
  const client = await connections.checkout(SERVER)
  let broken: Error | boolean = false
  try {
    await client.query('BEGIN')
    await client.query(`
      CREATE UNLOGGED TABLE homeport."$space" AS
      SELECT repeat(md5(n::text), 60) AS filler FROM generate_series(1, 512) AS n`)
  } finally {
    await client.query('ROLLBACK').catch(() => {
      broken = true
    })
    connections.release(client, SERVER, broken)
  }
}
