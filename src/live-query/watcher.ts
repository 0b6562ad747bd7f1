import { text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { ObjectWatch, Written } from '../objects/statements/watch.ts'
import type { LiveQueries } from './live-queries.ts'
import { notifyLogin, notifyWrite } from './notify-change.ts'

/** Maximum numbers of waiting changes, and of characters of their objects. */
const MAX_WAITING = 10_000
const MAX_WAITING_LENGTH = 64 * 1024 * 1024

const TAKEN_AT_ONCE = 100

interface Waiting {
  readonly length: number
  notify(): Promise<void>
}

const data = text('data')

/**
 * Passes the writes of this node to live queries. Changes are processed in sequence, so that those of an object keep their order,
 * and in the background of the requests. When they arrive faster than they can be sent, some are dropped.
 */
export class Watcher implements ObjectWatch {
  readonly #live: () => LiveQueries | undefined
  readonly #waiting: Waiting[] = []
  #length = 0
  #isNotifying = false
  #isOverrun = false

  /** @param live returns undefined until the live queries are open */
  constructor(live: () => LiveQueries | undefined) {
    this.#live = live
  }

  isWatched(className: string): boolean {
    return this.#live()?.known.classes.has(className) === true
  }

  written(write: Written): void {
    const live = this.#live()
    if (live) this.#add(live, [write.before, write.after], () => notifyWrite(live, write))
  }

  loggedIn(schema: ClassSchema, user: Row): void {
    const live = this.#live()
    if (live && this.isWatched(schema.name)) this.#add(live, [user], () => notifyLogin(live, schema, user))
  }

  #add(live: LiveQueries, rows: readonly (Row | null)[], notify: () => Promise<void>): void {
    const length = rows.reduce((sum, row) => sum + (row ? data(row).length : 0), 0)
    if (
      this.#waiting.length >= MAX_WAITING ||
      (this.#waiting.length > 0 && this.#length + length > MAX_WAITING_LENGTH)
    ) {
      this.#leaveOut(live)
      return
    }
    this.#waiting.push({ length, notify })
    this.#length += length
    if (!this.#isNotifying) void this.#notifyAll(live)
  }

  async #notifyAll(live: LiveQueries): Promise<void> {
    this.#isNotifying = true
    while (this.#waiting.length > 0) {
      // In batches: shifting single items would move thousands of others each time.
      for (const { notify, length } of this.#waiting.splice(0, TAKEN_AT_ONCE)) {
        try {
          await notify()
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          live.log.warn({ error: reason }, 'live query notification failed')
        }
        this.#length -= length
      }
    }
    this.#isNotifying = false
    this.#isOverrun = false
  }

  #leaveOut(live: LiveQueries): void {
    if (this.#isOverrun) return
    this.#isOverrun = true
    live.log.warn({}, 'live query backlog full, dropping changes')
  }
}
