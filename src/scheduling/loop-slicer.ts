import { RecentContention } from './recent-contention.ts'

/**
 * Milliseconds that an iteration of the event loop may take before less is begun in the next ones: while an address is alone,
 * and while others come, each of which waits for three or four iterations until it has a response.
 */
const LONG_MS = { alone: 8, contended: 4 }

/**
 * Slices work by iterations of the event loop: of each address a bounded number of units begins in an iteration, and the rest
 * waits for the next ones, in order. A client that sends thousands of requests at once would otherwise have all of them begun
 * before those of others. An address that is alone loses nothing, because iterations follow each other without a pause. The
 * cost of a unit is not known: where iterations become long, fewer units of each address begin in one.
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
   * @param max units of an address that begin in an iteration at most
   * @param now returns the time in milliseconds
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max
    this.#limit = max
    this.#now = now
  }

  /** @returns whether a unit of an address may begin now; if not, it has to `wait` */
  take(address: string): boolean {
    this.#contention.note('', address)
    if (this.#waiting.has(address)) return false
    const begun = this.#begun.get(address) ?? 0
    if (begun >= this.#limit) return false
    this.#count(address, begun + 1)
    return true
  }

  /** @param begin called when one unit may begin; it must not throw */
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
      // An address that has more goes to the end of the line.
      while (waiting.length > 0 && begun < this.#limit) {
        begun++
        waiting.shift()!()
      }
      if (waiting.length === 0) this.#waiting.delete(address)
      this.#count(address, begun)
    }
  }

  /** @param took how long the iteration was, with all that was begun in it */
  #adapt(took: number): void {
    const long = this.#contention.isContended ? LONG_MS.contended : LONG_MS.alone
    if (took <= long) this.#limit = Math.min(2 * this.#limit, this.#max)
    else this.#limit = Math.max(1, Math.floor((Math.max(...this.#begun.values()) * long) / took))
  }
}

/** A source of work of an address, such as a connection, which waits in the slicer with one unit at a time. */
export class SlicedSource {
  readonly #slicer: LoopSlicer
  readonly #address: string
  readonly #proceed: () => void
  #isWaiting = false

  /** @param proceed called when the unit that waited may begin; it must not throw */
  constructor(slicer: LoopSlicer, address: string, proceed: () => void) {
    this.#slicer = slicer
    this.#address = address
    this.#proceed = proceed
  }

  /** @returns whether a unit may begin now; if not, `proceed` is called when it may */
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
  /** Milliseconds that the work may take in an iteration. */
  readonly maxMs: number
  /** Units of work in an iteration; any number when omitted. */
  readonly maxUnits?: number
  /** Units after which the time is checked again; each when omitted. */
  readonly checkEvery?: number
  /** Returns the time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * The slice of an iteration of the event loop that one kind of work may take. The rest of the work waits for the next
 * iteration, and whatever else arrives in between is processed before it.
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

  /** @param next called when the iteration of an open slice has ended; it opens another one if work is left */
  constructor({ maxMs, maxUnits, checkEvery, now }: SliceBounds, next: () => void) {
    this.#maxMs = maxMs
    this.#maxUnits = maxUnits ?? Number.POSITIVE_INFINITY
    this.#checkEvery = checkEvery ?? 1
    this.#now = now ?? (() => performance.now())
    this.#next = next
  }

  /** Returns whether the work must stop until the next iteration. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Opens the slice, unless it is open in this iteration. Its time begins. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#endsAt = this.#now() + this.#maxMs
    setImmediate(() => this.#close())
  }

  /** Counts a unit of work, and opens the slice for the first one. */
  countUnit(): void {
    if (!this.#isOpen) this.open()
    if (++this.#units >= this.#maxUnits) this.#isOver = true
  }

  /** Checks the time, if enough was done since the last check. @param units done since the last call */
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
