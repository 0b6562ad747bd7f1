import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errors } from '../errors.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isTimeout } from './faults.ts'
import type { Row } from './row.ts'

/**
 * Rows larger than this in sum are not collected (protocol/storage, Query parameters: results beyond 6 MB are cut off).
 */
export const MAX_RESULT_BYTES = 6 * 1024 * 1024

/** Milliseconds between two tries to cancel a statement: at first, and at most. */
const FIRST_PAUSE = 10
const MOST_PAUSE = 200

/**
 * Runs a query and collects its rows up to MAX_RESULT_BYTES; then it is cancelled, so that the rest is neither read nor
 * sent. So it is when the client has disconnected, and when `sizeOf` throws: then with its error.
 * @param cancel tells the database to end what is under way on the connection
 * @throws ApiError 499 when the client disconnected; what the driver throws
 */
export function collectRows(
  client: pg.PoolClient,
  config: pg.QueryConfig,
  sizeOf: (row: Row) => number,
  principal: Principal | undefined,
  cancel: () => Promise<void>,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    const cancelling = new Cancelling(cancel)
    let size = 0
    let refusal: unknown
    const stopListening = principal?.whenGone?.(() => {
      refusal ??= errors.clientGone()
      cancelling.begin()
    })
    // A connection that is lent anew while it is being cancelled would lose the next statement.
    const end = (error?: unknown) => {
      stopListening?.()
      const settle = () => (error === undefined ? resolve(rows) : reject(error))
      const cancelled = cancelling.end()
      if (cancelled) void cancelled.then(settle)
      else settle()
    }
    const finish = () => end(refusal)
    const query = client.query(new pg.Query(config))
    query.on('row', (row: Row) => {
      if (cancelling.begun) return
      try {
        size += sizeOf(row)
      } catch (error) {
        refusal = error
        rows.length = 0
        return cancelling.begin()
      }
      if (size <= MAX_RESULT_BYTES || rows.length === 0) rows.push(row)
      else cancelling.begin()
    })
    query.on('end', finish)
    query.on('error', (error) => (cancelling.begun && isTimeout(error) ? finish() : end(error)))
  })
}

/** A statement that has only been sent is not cancelled, and nobody says so: it is tried again until the statement is over. */
class Cancelling {
  readonly #cancel: () => Promise<void>
  #done: Promise<void> | undefined
  /** Ends a pause. Made when it is needed, which is seldom: making and ending one costs as much as a small query. */
  #pauses: AbortController | undefined
  #over = false

  constructor(cancel: () => Promise<void>) {
    this.#cancel = cancel
  }

  get begun(): boolean {
    return this.#done !== undefined
  }

  begin(): void {
    this.#done ??= this.#run()
  }

  /** Tells that the statement is over. @returns when nothing is cancelled any more; undefined where nothing was */
  end(): Promise<void> | undefined {
    this.#over = true
    this.#pauses?.abort()
    return this.#done
  }

  async #run(): Promise<void> {
    this.#pauses = new AbortController()
    const { signal } = this.#pauses
    for (let pause = FIRST_PAUSE; !this.#over; pause = Math.min(2 * pause, MOST_PAUSE)) {
      await this.#cancel()
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
}
