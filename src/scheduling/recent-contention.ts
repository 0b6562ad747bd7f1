/** Milliseconds for which contention lasts after a different principal arrived. */
const RECENT_MS = 10_000

/** Detects whether more than one principal arrived recently, in constant memory. */
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
