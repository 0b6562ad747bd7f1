import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errors } from '../errors.ts'
import type { Principal } from '../scheduling/principal.ts'
import { isTimeout } from './faults.ts'
import type { Row } from './row.ts'

/** Maximum total bytes of the rows collected (protocol/storage, Query parameters: results beyond 6 MB are cut off). */
export const MAX_RESULT_BYTES = 6 * 1024 * 1024

/** Milliseconds between two attempts to cancel a statement: initially, and at most. */
const FIRST_PAUSE = 10
const MAX_PAUSE = 200

/**
 * Runs a query and collects its rows up to MAX_RESULT_BYTES, then cancels it, so that the rest is neither read nor sent. It also
 * cancels the query when the client disconnects, or when `sizeOf` throws, and rejects with that error.
 * @param cancel asks the database to cancel the statement running on the connection
 * @throws ApiError 499 when the client disconnected; what `sizeOf` or the driver throws
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
    const stopListening = principal?.onDisconnect?.(() => {
      refusal ??= errors.clientDisconnected()
      cancelling.begin()
    })
    // Waits for the cancellation to finish: on a connection released earlier, it could cancel the next statement.
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

/**
 * Cancels a statement. A cancel request has no effect before the statement runs, and this is not reported, so it is repeated
 * until the statement has ended.
 */
class Cancelling {
  readonly #cancel: () => Promise<void>
  #done: Promise<void> | undefined
  /** Ends a pause. Created only when needed, because creating one costs as much as a small query. */
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

  /** Records that the statement has ended. @returns resolves when no cancel request is pending; undefined if none was sent */
  end(): Promise<void> | undefined {
    this.#over = true
    this.#pauses?.abort()
    return this.#done
  }

  async #run(): Promise<void> {
    this.#pauses = new AbortController()
    const { signal } = this.#pauses
    for (let pause = FIRST_PAUSE; !this.#over; pause = Math.min(2 * pause, MAX_PAUSE)) {
      await this.#cancel()
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
}
