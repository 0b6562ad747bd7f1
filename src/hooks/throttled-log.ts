import type { Log } from '../log.ts'

/** A warning is not repeated for so many milliseconds. */
const PAUSE = 10_000

/**
 * A log for warnings that would come with every request while an engine is broken. Each is written at once and then now and
 * then, with the number of those that were left out.
 */
export class ThrottledLog {
  readonly #log: Log
  readonly #now: () => number
  readonly #written = new Map<string, { readonly at: number; unsaid: number }>()

  /** @param now milliseconds */
  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** @param subject warnings about different subjects do not keep each other back; there are few of them */
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
