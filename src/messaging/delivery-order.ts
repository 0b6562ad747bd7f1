import { TimeSlice } from '../scheduling/loop-slicer.ts'

/** How long a message waits for its predecessor. */
const GAP_TIMEOUT_MS = 500
/** A message that is this much older counts as arrived or lost. */
const MAX_TRANSIT_MS = 5000
/** How many conversations keep their last time in memory: the most recently used, between this number and twice this number. */
const MIN_CONVERSATIONS = 25_000

/** Maximum time that deliveries take in one iteration of the event loop, in milliseconds. */
const SLICE_MS = 4
/**
 * Maximum number of receivers in one iteration. Their frames are written when it ends, which takes longer than notifying them.
 */
const MAX_IN_SLICE = 1000
/** After this many receivers the clock is checked, and the next sender is served. */
const CHUNK = 16
/** Maximum number of deliveries of one queue that each receiver gets together. */
const MAX_TOGETHER = 1000
/** Maximum number of their characters. More would make a client count as one that does not read. */
const MAX_LENGTH_TOGETHER = 256 * 1024
/** The deliveries of a sender are late when one of them has waited this long, in milliseconds. */
const LATE_MS = 10_000
/** They are late, too, when the waiting deliveries of the sender have more characters than this. */
const MAX_LENGTH_WAITING = 16 * 1024 * 1024

interface Entry {
  /** The time of the preceding message. */
  readonly before: number
  readonly ts: number
  readonly pass: () => void
}

interface Line {
  /** The time of the last message that has passed; 0 before the first. */
  last: number
  readonly waiting: Entry[]
}

/**
 * Passes the messages of a conversation in the order of their times, even if messages of other nodes arrive out of order. Each
 * message carries the time of its predecessor and waits until that has passed. The wait is bounded, because the predecessor may
 * be lost.
 */
export class OrderGate {
  /** Two generations, because a Map that evicts its oldest entries one by one iterates over all deleted ones. */
  #recent = new Map<string, Line>()
  #older = new Map<string, Line>()

  /** Calls `pass` in the order of the conversation: immediately, unless a predecessor is missing. */
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

  /**
   * Moves used conversations to the recent generation: a client that writes to many must not evict busy conversations of others.
   */
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

  /** Stops waiting for the missing message: passes all messages up to this one without it. */
  #giveUp(line: Line, entry: Entry): void {
    if (!line.waiting.includes(entry)) return
    line.last = Math.max(line.last, entry.before)
    this.#letPass(line)
  }
}

/** Returns whether the predecessor has not passed yet and may still be in transit. */
function isAnotherMissing({ last }: Line, { before, ts }: Entry): boolean {
  return before > last && ts - before < MAX_TRANSIT_MS
}

export interface Delivery<Receiver> {
  /**
   * Deliveries of one queue have the same receivers and arrive in the order of the calls. '' is the queue that all other
   * deliveries share; their receivers may differ.
   */
  readonly queue: string
  /** The sender, for fairness between senders; '' for the server. */
  readonly principal: string
  /** The approximate number of characters for each receiver. */
  readonly length: number
  /** Returns the receivers at the time when the delivery begins. */
  readonly receivers: () => Iterable<Receiver>
  /** Notifies one receiver. Must not throw. */
  readonly notify: (receiver: Receiver) => void
}

interface Waiting<Receiver> extends Delivery<Receiver> {
  readonly since: number
}

/** Deliveries that go to the same receivers together. */
interface Pass<Receiver> {
  readonly deliveries: readonly Waiting<Receiver>[]
  readonly receivers: Iterator<Receiver>
}

interface Queue<Receiver> {
  readonly name: string
  /** In the order of the calls. `first` counts the ones that have begun; these are removed in batches. */
  readonly waiting: Waiting<Receiver>[]
  first: number
  pass: Pass<Receiver> | null
}

export interface DeliveryLineOptions {
  /** Called when deliveries of a sender wait too long or are too many. Not called for deliveries of the server. */
  readonly onLate?: (principal: string) => void
  /** Returns a monotonic time in milliseconds. */
  readonly now?: () => number
}

/**
 * Notifies the receivers of deliveries. Rooms are large: one message to 20 000 members is 20 000 writes. So deliveries stop after
 * a few milliseconds in each iteration of the event loop, and other work runs in between. Senders are then served round robin,
 * and so are the queues of one sender. When a queue falls behind, each receiver gets its waiting deliveries together, which costs
 * little more than one delivery. A room under load delays messages but does not lose them.
 */
export class DeliveryLine<Receiver> {
  readonly #onLate: (principal: string) => void
  readonly #now: () => number
  readonly #queues = new Map<string, Queue<Receiver>>()
  /** The queues with pending deliveries, by the sender of their next delivery, in the order in which they are served. */
  readonly #senders = new Map<string, Map<string, Queue<Receiver>>>()
  /** Characters of pending deliveries, by sender. */
  readonly #lengths = new Map<string, number>()
  /** Counts receivers as its units. */
  readonly #slice: TimeSlice

  constructor({ onLate = () => {}, now = () => performance.now() }: DeliveryLineOptions = {}) {
    this.#onLate = onLate
    this.#now = now
    this.#slice = new TimeSlice({ maxMs: SLICE_MS, maxUnits: MAX_IN_SLICE, checkEvery: CHUNK, now }, () =>
      this.#proceed(),
    )
  }

  /** Delivers immediately, unless the time slice of this iteration is used up or the queue has earlier deliveries. */
  add(delivery: Delivery<Receiver>): void {
    const known = this.#queues.get(delivery.queue)
    if (known) {
      this.#enqueue(known, delivery)
      return
    }
    const queue: Queue<Receiver> = { name: delivery.queue, waiting: [], first: 0, pass: null }
    this.#enqueue(queue, delivery)
    this.#queues.set(queue.name, queue)
    while (!this.#slice.isOver) if (this.#advance(queue)) return
    this.#line(queue)
  }

  #enqueue(queue: Queue<Receiver>, delivery: Delivery<Receiver>): void {
    queue.waiting.push({ ...delivery, since: this.#now() })
    this.#countLength(delivery.principal, delivery.length)
  }

  #countLength(principal: string, change: number): void {
    if (principal === '') return
    const length = (this.#lengths.get(principal) ?? 0) + change
    if (length > 0) this.#lengths.set(principal, length)
    else this.#lengths.delete(principal)
    if (change > 0 && length > MAX_LENGTH_WAITING) this.#onLate(principal)
  }

  /** Serves one chunk of a queue. @returns whether the queue is now empty and removed */
  #advance(queue: Queue<Receiver>): boolean {
    queue.pass ??= this.#beginPass(queue)
    const { deliveries, receivers } = queue.pass
    let isAtEnd = false
    let count = 0
    while (count < CHUNK && !this.#slice.isOver && !isAtEnd) {
      const { done, value } = receivers.next()
      if (done) isAtEnd = true
      else {
        this.#slice.countUnit()
        for (const { notify } of deliveries) notify(value)
        count++
      }
    }
    // A delivery without receivers takes no time of the slice. It would only delay later deliveries, whose receivers have logged
    // in meanwhile and read the same messages from the database.
    this.#slice.check(count)
    if (!isAtEnd) return false
    queue.pass = null
    if (queue.first < queue.waiting.length) return false
    this.#queues.delete(queue.name)
    return true
  }

  #beginPass(queue: Queue<Receiver>): Pass<Receiver> {
    const deliveries = takeTogether(queue)
    for (const { principal, length } of deliveries) this.#countLength(principal, -length)
    if (queue.first === queue.waiting.length || queue.first >= MAX_TOGETHER) {
      queue.waiting.splice(0, queue.first)
      queue.first = 0
    }
    const [{ since, receivers, principal }] = deliveries as [Waiting<Receiver>]
    if (principal !== '' && this.#now() - since > LATE_MS) this.#onLate(principal)
    return { deliveries, receivers: receivers()[Symbol.iterator]() }
  }

  /** Appends a queue to the queues of the sender of its next delivery. */
  #line(queue: Queue<Receiver>): void {
    const next = queue.pass?.deliveries[0] ?? queue.waiting[queue.first]!
    const { principal } = next
    const queues = this.#senders.get(principal)
    if (queues) queues.set(queue.name, queue)
    else this.#senders.set(principal, new Map([[queue.name, queue]]))
  }

  #proceed(): void {
    if (this.#senders.size === 0) return
    this.#slice.open()
    while (!this.#slice.isOver && this.#senders.size > 0) {
      const queue = this.#takeNext()
      if (!this.#advance(queue)) this.#line(queue)
      this.#slice.check()
    }
  }

  /** Removes and returns the next queue; moves its sender to the end. */
  #takeNext(): Queue<Receiver> {
    const [principal, queues] = this.#senders.entries().next().value!
    const [name, queue] = queues.entries().next().value!
    queues.delete(name)
    this.#senders.delete(principal)
    if (queues.size > 0) this.#senders.set(principal, queues)
    return queue
  }
}

/** Removes and returns the deliveries that each receiver gets together: at least one. */
function takeTogether<Receiver>(queue: Queue<Receiver>): readonly Waiting<Receiver>[] {
  // Deliveries of the shared queue have different receivers.
  const max = queue.name === '' ? 1 : MAX_TOGETHER
  let end = queue.first
  for (let length = 0; end < queue.waiting.length && end - queue.first < max; end++) {
    length += queue.waiting[end]!.length
    if (end > queue.first && length > MAX_LENGTH_TOGETHER) break
  }
  const deliveries = queue.waiting.slice(queue.first, end)
  queue.first = end
  return deliveries
}
