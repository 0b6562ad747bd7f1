import { RecentContention } from './recent-contention.ts'

/**
 * Maximum milliseconds of an iteration of the event loop before fewer units begin in the next ones: while one address is alone,
 * and while several contend. Each of those waits three or four iterations for a response.
 */
const LONG_MS = { alone: 8, contended: 4 }

/**
 * Slices work by iterations of the event loop: in one iteration a bounded number of units of each address begins, and the rest
 * waits for the next iterations, in order. Otherwise a client that sends thousands of requests at once would have all of them
 * begun before those of other clients. A lone address loses nothing, because iterations follow each other without a pause. The
 * cost of a unit is unknown, so fewer units of each address begin when iterations become long.
 */
export class LoopSlicer {
  readonly #max: number
  readonly #now: () => number
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #contention = new RecentContention()
  #limit: number
  /** When the iteration began. */
  #since = 0

  /**
   * @param max maximum units of an address that begin in an iteration
   * @param now returns the time in milliseconds
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max
    this.#limit = max
    this.#now = now
  }

  /** Counts a unit of an address if it may begin now. @returns whether it may; if not, it has to `wait` */
  take(address: string): boolean {
    this.#contention.note('', address)
    if (this.#waiting.has(address)) return false
    const begun = this.#begun.get(address) ?? 0
    if (begun >= this.#limit) return false
    this.#count(address, begun + 1)
    return true
  }

  /** Queues a unit. @param begin called when it may begin; it must not throw */
  wait(address: string, begin: () => void): void {
    const waiting = this.#waiting.get(address)
    if (waiting) waiting.push(begin)
    else this.#waiting.set(address, [begin])
  }

  #count(address: string, begun: number): void {
    if (this.#begun.size === 0) {
      this.#since = this.#now()
      setImmediate(() => this.#endIteration())
    }
    this.#begun.set(address, begun)
  }

  #endIteration(): void {
    this.#adapt(this.#now() - this.#since)
    this.#begun.clear()
    for (const [address, waiting] of this.#waiting) {
      let begun = 0
      this.#count(address, begun)
      // An address with more units moves to the end of the line.
      while (waiting.length > 0 && begun < this.#limit) {
        begun++
        waiting.shift()!()
      }
      if (waiting.length === 0) this.#waiting.delete(address)
      this.#count(address, begun)
    }
  }

  /** Adapts the limit to the last iteration. @param took its milliseconds, including all work begun in it */
  #adapt(took: number): void {
    const long = this.#contention.isContended ? LONG_MS.contended : LONG_MS.alone
    if (took <= long) this.#limit = Math.min(2 * this.#limit, this.#max)
    else this.#limit = Math.max(1, Math.floor((Math.max(...this.#begun.values()) * long) / took))
  }
}

/** A source of work of an address, such as a connection. At most one of its units waits in the slicer at a time. */
export class SlicedSource {
  readonly #slicer: LoopSlicer
  readonly #address: string
  readonly #proceed: () => void
  #isWaiting = false

  /** @param proceed called when the waiting unit may begin; it must not throw */
  constructor(slicer: LoopSlicer, address: string, proceed: () => void) {
    this.#slicer = slicer
    this.#address = address
    this.#proceed = proceed
  }

  /** Counts a unit if it may begin now. @returns whether it may; if not, `proceed` is called when it may */
  take(): boolean {
    if (this.#isWaiting) return false
    if (this.#slicer.take(this.#address)) return true
    this.#isWaiting = true
    this.#slicer.wait(this.#address, () => {
      this.#isWaiting = false
      this.#proceed()
    })
    return false
  }
}

interface SliceBounds {
  /** Maximum milliseconds of work in an iteration. */
  readonly maxMs: number
  /** Maximum units of work in an iteration; unlimited when omitted. */
  readonly maxUnits?: number
  /** Units between two checks of the time; 1 when omitted. */
  readonly checkEvery?: number
  /** Returns the time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * The slice of an iteration of the event loop that one kind of work may take. The rest of the work waits for the next iteration;
 * events that arrive in between are processed first.
 */
export class TimeSlice {
  readonly #maxMs: number
  readonly #maxUnits: number
  readonly #checkEvery: number
  readonly #now: () => number
  readonly #next: () => void
  #isOpen = false
  #isOver = false
  #units = 0
  #unchecked = 0
  #endsAt = 0

  /** @param next called when the iteration of an open slice has ended; it opens another slice if work is left */
  constructor({ maxMs, maxUnits, checkEvery, now }: SliceBounds, next: () => void) {
    this.#maxMs = maxMs
    this.#maxUnits = maxUnits ?? Number.POSITIVE_INFINITY
    this.#checkEvery = checkEvery ?? 1
    this.#now = now ?? (() => performance.now())
    this.#next = next
  }

  /** Whether the work must stop until the next iteration. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Opens the slice and starts its time, unless it is already open in this iteration. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#endsAt = this.#now() + this.#maxMs
    setImmediate(() => this.#close())
  }

  /** Counts a unit of work. The first unit opens the slice. */
  countUnit(): void {
    if (!this.#isOpen) this.open()
    if (++this.#units >= this.#maxUnits) this.#isOver = true
  }

  /** Checks the time if enough units were done since the last check. @param units units done since the last call */
  check(units = 1): void {
    this.#unchecked += units
    if (this.#unchecked < this.#checkEvery) return
    this.#unchecked = 0
    if (this.#now() >= this.#endsAt) this.#isOver = true
  }

  #close(): void {
    this.#isOpen = false
    this.#isOver = false
    this.#units = 0
    this.#unchecked = 0
    this.#next()
  }
}
