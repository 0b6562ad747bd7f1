/** How long receivers may be notified in a turn of the event loop, in milliseconds. */
const SLICE = 4
/** After how many of them the time is looked at. */
const LOOK = 16

interface Delivery<Receiver> {
  readonly receivers: Iterator<Receiver>
  readonly notify: (receiver: Receiver) => void
}

/**
 * Notifies receivers of one thing after the other. Rooms are large, and messages that are stored together are delivered
 * together: so it stops after a few milliseconds, and what others have asked for comes in between. What is delivered first
 * arrives first, at each receiver.
 */
export class DeliveryLine<Receiver> {
  readonly #now: () => number
  readonly #waiting: Delivery<Receiver>[] = []
  #notified = 0
  /** When the time of this turn is over. */
  #end = 0
  #isOver = false

  /** @param now what says the time, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** @param notify must not throw; called before this returns unless others are to be notified before */
  add(receivers: Iterator<Receiver>, notify: (receiver: Receiver) => void): void {
    const delivery = { receivers, notify }
    if (this.#waiting.length > 0 || !this.#passOn(delivery)) this.#waiting.push(delivery)
  }

  /** @returns whether all have been notified */
  #passOn({ receivers, notify }: Delivery<Receiver>): boolean {
    while (!this.#isOver) {
      const { done, value } = receivers.next()
      if (done) return true
      if (this.#notified++ === 0) this.#beginTurn()
      notify(value)
      if (this.#notified % LOOK === 0) this.#isOver = this.#now() >= this.#end
    }
    return false
  }

  #beginTurn(): void {
    this.#end = this.#now() + SLICE
    setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    this.#notified = 0
    this.#isOver = false
    let passed = 0
    while (passed < this.#waiting.length && this.#passOn(this.#waiting[passed]!)) passed++
    this.#waiting.splice(0, passed)
  }
}
