import type { Log } from '../log.ts'

/** A warning is not repeated for so many milliseconds. */
const PAUSE = 10_000

/** Warnings that would come with every request while an engine is broken: each is said now and then, with their number. */
export class SeldomWarnings {
  readonly #log: Log
  readonly #now: () => number
  readonly #said = new Map<string, { readonly at: number; unsaid: number }>()

  /** @param now milliseconds */
  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** @param subject warnings about different subjects do not keep each other back; there are few of them */
  warn(subject: string, fields: object, text: string): void {
    const last = this.#said.get(subject)
    if (last && this.#now() < last.at + PAUSE) {
      last.unsaid++
      return
    }
    this.#said.set(subject, { at: this.#now(), unsaid: 0 })
    this.#log.warn({ ...fields, ...(last && last.unsaid > 0 && { unsaid: last.unsaid }) }, text)
  }
}
