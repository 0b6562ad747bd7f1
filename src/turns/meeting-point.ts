/** For how long, in milliseconds, others who have been here are counted on to come again. */
const LATELY = 10_000

/** Knows whether more than one has come lately, without remembering who. */
export class MeetingPoint {
  #app: string | undefined
  #address: string | undefined
  #met = Number.NEGATIVE_INFINITY

  enter(app: string, address: string): void {
    if (app === this.#app && address === this.#address) return
    if (this.#app !== undefined) this.#met = performance.now()
    this.#app = app
    this.#address = address
  }

  get wasMeeting(): boolean {
    return performance.now() - this.#met < LATELY
  }
}
