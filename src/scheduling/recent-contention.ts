/** Milliseconds for which a second principal counts as contention after it came. */
const RECENT_MS = 10_000

/** Tells whether more than one principal has come lately, in constant memory. */
export class RecentContention {
  #app: string | undefined
  #address: string | undefined
  #contendedAt = Number.NEGATIVE_INFINITY

  note(app: string, address: string): void {
    if (app === this.#app && address === this.#address) return
    if (this.#app !== undefined) this.#contendedAt = performance.now()
    this.#app = app
    this.#address = address
  }

  get isContended(): boolean {
    return performance.now() - this.#contendedAt < RECENT_MS
  }
}
