import { SERVER } from '../scheduling/principal.ts'
import type { ConnectionQueue } from './connection-queue.ts'
import { isDiskFull } from './faults.ts'

/** Milliseconds between two checks for free space. */
const RETRY = 2000

export interface DiskSpaceOptions {
  /** Writes about a megabyte and rolls it back; rejects when there is no space. */
  readonly tryToWrite: () => Promise<unknown>
  /** Called once when the disk is full, and once when there is space again. */
  readonly changed: (full: boolean) => void
}

/**
 * Tracks whether the database has run out of disk space. A failed write reports a full disk. Free space is detected by a test
 * write, because small writes keep succeeding in the free space of existing pages.
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

  /** Records the error of a failed statement. */
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

/** Writes about a megabyte in a transaction that is rolled back. @throws the error of the write */
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
