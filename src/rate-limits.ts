/** Counts what each client does in the current minute, on this node. */
export class RateLimits {
  readonly #counts = new Map<string, number>()
  #minute = 0

  /** @returns whether one more is within the limit; null is no limit */
  allow(what: string, who: string, limit: number | null): boolean {
    if (limit === null) return true
    const minute = Math.floor(Date.now() / 60_000)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#counts.clear()
    }
    const key = `${what} ${who}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count <= limit
  }
}
