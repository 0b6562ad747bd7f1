/** How long a message waits for the one before it. */
const GAP_TIMEOUT_MS = 500
/** After this time a sent message counts as arrived or lost. */
const MAX_TRANSIT_MS = 5000
/** How many conversations have their last time in memory: the ones used last, at least this many and at most twice as many. */
const MIN_CONVERSATIONS = 25_000

/** How long receivers are notified in one iteration of the event loop. */
const SLICE_MS = 4
/** After how many receivers the time is checked. */
const CHECK_INTERVAL = 16

interface Entry {
  /** The time of the message before it. */
  readonly before: number
  readonly ts: number
  readonly pass: () => void
}

interface Line {
  /** The time of the last message that has passed; 0 when none has been seen. */
  last: number
  readonly waiting: Entry[]
}

/**
 * Lets messages of a conversation pass in the order of their times, though messages of other nodes may arrive out of order.
 * Each message has the time of the one before it; while that has not passed it waits, for a bounded time: the one before
 * may have been lost.
 */
export class OrderGate {
  /** Two generations: taking the oldest entry out of one map costs a walk over all that were taken out before. */
  #recent = new Map<string, Line>()
  #older = new Map<string, Line>()

  /** Calls `pass` in the order of the conversation: at once, unless a message before it is missing. */
  enter(convId: string, before: number, ts: number, pass: () => void): void {
    const line = this.#lineOf(convId)
    const entry: Entry = { before, ts, pass }
    if (line.waiting.length === 0 && !isAnotherMissing(line, entry)) {
      line.last = Math.max(line.last, ts)
      pass()
      return
    }
    line.waiting.push(entry)
    line.waiting.sort((first, second) => first.ts - second.ts)
    this.#letPass(line)
    if (line.waiting.includes(entry)) setTimeout(() => this.#giveUp(line, entry), GAP_TIMEOUT_MS).unref()
  }

  /** Keeps the conversations that are used: a client that writes to many in turn must not evict the busy ones of others. */
  #lineOf(convId: string): Line {
    const recent = this.#recent.get(convId)
    if (recent) return recent
    const line = this.#older.get(convId) ?? { last: 0, waiting: [] }
    this.#older.delete(convId)
    if (this.#recent.size >= MIN_CONVERSATIONS) this.#evictOlder()
    this.#recent.set(convId, line)
    return line
  }

  #evictOlder(): void {
    const evicted = this.#older
    this.#older = this.#recent
    this.#recent = new Map()
    for (const { waiting } of evicted.values()) for (const { pass } of waiting.splice(0)) pass()
  }

  #letPass(line: Line): void {
    while (line.waiting.length > 0 && !isAnotherMissing(line, line.waiting[0]!)) {
      const { ts, pass } = line.waiting.shift()!
      line.last = Math.max(line.last, ts)
      pass()
    }
  }

  /** The missing message has not come: everything up to this one goes on without it. */
  #giveUp(line: Line, entry: Entry): void {
    if (!line.waiting.includes(entry)) return
    line.last = Math.max(line.last, entry.before)
    this.#letPass(line)
  }
}

/** The one before it has not been seen, and may be on its way. */
function isAnotherMissing({ last }: Line, { before, ts }: Entry): boolean {
  return before > last && ts - before < MAX_TRANSIT_MS
}

interface Delivery<Receiver> {
  readonly receivers: Iterator<Receiver>
  readonly notify: (receiver: Receiver) => void
}

/**
 * Notifies the receivers of one delivery after those of another. Rooms are large, and messages that are stored together are
 * delivered together: so it pauses after a few milliseconds, and other commands are handled in between. A delivery that
 * was added first arrives first, at each receiver.
 */
export class DeliveryLine<Receiver> {
  readonly #now: () => number
  readonly #waiting: Delivery<Receiver>[] = []
  #notified = 0
  /** When the time of this iteration is over. */
  #end = 0
  #isOver = false

  /** @param now returns the time in milliseconds */
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
      if (this.#notified++ === 0) this.#beginSlice()
      notify(value)
      if (this.#notified % CHECK_INTERVAL === 0) this.#isOver = this.#now() >= this.#end
    }
    return false
  }

  #beginSlice(): void {
    this.#end = this.#now() + SLICE_MS
    setImmediate(() => this.#endSlice())
  }

  #endSlice(): void {
    this.#notified = 0
    this.#isOver = false
    let passed = 0
    while (passed < this.#waiting.length && this.#passOn(this.#waiting[passed]!)) passed++
    this.#waiting.splice(0, passed)
  }
}
