import type { Log } from '../log.ts'

/** Minimum time between two equal warnings, in milliseconds. */
const PAUSE = 10_000

/**
 * A log for warnings that every request would cause while an engine is broken. The first is written immediately, later ones at a
 * limited rate, with the number of those skipped.
 */
export class ThrottledLog {
  readonly #log: Log
  readonly #now: () => number
  readonly #written = new Map<string, { readonly at: number; unsaid: number }>()

  /** @param now returns milliseconds */
  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** Logs a warning. @param subject the key of the rate limit; there must be few subjects */
  warn(subject: string, fields: object, text: string): void {
    const last = this.#written.get(subject)
    if (last && this.#now() < last.at + PAUSE) {
      last.unsaid++
      return
    }
    this.#written.set(subject, { at: this.#now(), unsaid: 0 })
    this.#log.warn({ ...fields, ...(last && last.unsaid > 0 && { unsaid: last.unsaid }) }, text)
  }
}
