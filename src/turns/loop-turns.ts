import { MeetingPoint } from './meeting-point.ts'

/**
 * Milliseconds that a turn of the event loop may take before less is begun in the next ones: while an address is alone,
 * and while others come, each of whom waits for three or four turns until it has an answer.
 */
const LONG = { alone: 8, together: 4 }

/**
 * Lets work begin on the event loop, of an address so much in a turn of the loop; what else it has waits for the next
 * turns, in its order. One that sends thousands of things at once would otherwise have them all begun before anybody
 * else's. While it is alone it loses nothing by it, for turns follow each other without a pause. What is begun may be of
 * any cost: where turns become long, less of each address begins in one.
 */
export class LoopTurns {
  readonly #ceiling: number
  readonly #now: () => number
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #addressesMeet = new MeetingPoint()
  #most: number
  /** When the turn began. */
  #since = 0

  /**
   * @param ceiling how much of an address begins in a turn at most
   * @param now what says the time, in milliseconds
   */
  constructor(ceiling: number, now: () => number = () => performance.now()) {
    this.#ceiling = ceiling
    this.#most = ceiling
    this.#now = now
  }

  /** @returns whether something of an address may begin now; if not, it has to `wait` */
  take(address: string): boolean {
    this.#addressesMeet.enter('', address)
    if (this.#waiting.has(address)) return false
    const begun = this.#begun.get(address) ?? 0
    if (begun >= this.#most) return false
    this.#count(address, begun + 1)
    return true
  }

  /** @param begin called when one thing may begin; it must not throw */
  wait(address: string, begin: () => void): void {
    const waiting = this.#waiting.get(address)
    if (waiting) waiting.push(begin)
    else this.#waiting.set(address, [begin])
  }

  #count(address: string, begun: number): void {
    if (this.#begun.size === 0) {
      this.#since = this.#now()
      setImmediate(() => this.#endTurn())
    }
    this.#begun.set(address, begun)
  }

  #endTurn(): void {
    this.#adapt(this.#now() - this.#since)
    this.#begun.clear()
    for (const [address, waiting] of this.#waiting) {
      let begun = 0
      this.#count(address, begun)
      // An address that has more goes to the end of the line.
      while (waiting.length > 0 && begun < this.#most) {
        begun++
        waiting.shift()!()
      }
      if (waiting.length === 0) this.#waiting.delete(address)
      this.#count(address, begun)
    }
  }

  /** @param took how long the turn was, with all that was begun in it */
  #adapt(took: number): void {
    const long = this.#addressesMeet.wasMeeting ? LONG.together : LONG.alone
    if (took <= long) this.#most = Math.min(2 * this.#most, this.#ceiling)
    else this.#most = Math.max(1, Math.floor((Math.max(...this.#begun.values()) * long) / took))
  }
}

/** Where one of an address, such as a connection, waits with what it has, in one place of the line. */
export class Place {
  readonly #turns: LoopTurns
  readonly #address: string
  readonly #goOn: () => void
  #isInLine = false

  /** @param goOn called when a turn that was asked for has come, for one thing to begin; it must not throw */
  constructor(turns: LoopTurns, address: string, goOn: () => void) {
    this.#turns = turns
    this.#address = address
    this.#goOn = goOn
  }

  /** @returns whether something may begin now; if not, it is gone on with when it is its turn */
  take(): boolean {
    if (this.#isInLine) return false
    if (this.#turns.take(this.#address)) return true
    this.#isInLine = true
    this.#turns.wait(this.#address, () => {
      this.#isInLine = false
      this.#goOn()
    })
    return false
  }
}
