import { TimeSlice } from '../scheduling/loop-slicer.ts'

/** How long a message waits for the one before it. */
const GAP_TIMEOUT_MS = 500
/** After this time a sent message counts as arrived or lost. */
const MAX_TRANSIT_MS = 5000
/** How many conversations have their last time in memory: the ones used last, at least this many and at most twice as many. */
const MIN_CONVERSATIONS = 25_000

/** How long receivers may be notified in an iteration of the event loop, in milliseconds. */
const SLICE_MS = 4
/** How many receivers at most: what they are sent is written when the iteration ends, which takes longer than notifying them. */
const MAX_IN_SLICE = 1000
/** After how many of them the time is checked, and another sender is served. */
const CHUNK = 16
/** Deliveries of one queue that each receiver gets together, … */
const MAX_TOGETHER = 1000
/** … and their characters: a client must not count as one that does not read for them. */
const MAX_LENGTH_TOGETHER = 256 * 1024
/** Deliveries of a sender are late when one has waited for so many milliseconds, … */
const LATE_MS = 10_000
/** … or when what waits has so many characters. */
const MAX_LENGTH_WAITING = 16 * 1024 * 1024

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

export interface Delivery<Receiver> {
  /**
   * Deliveries of one queue have the same receivers and arrive in the order of the calls. '' for all deliveries that have no
   * queue of their own; these have any receivers.
   */
  readonly queue: string
  /** The sender, by which queues take turns; '' for the server. */
  readonly principal: string
  /** About how many characters each receiver gets. */
  readonly length: number
  /** The receivers, at the time when the delivery begins. */
  readonly receivers: () => Iterable<Receiver>
  /** Notifies one receiver. Must not throw. */
  readonly notify: (receiver: Receiver) => void
}

interface Waiting<Receiver> extends Delivery<Receiver> {
  readonly since: number
}

/** Deliveries on their way to the same receivers. */
interface Pass<Receiver> {
  readonly deliveries: readonly Waiting<Receiver>[]
  readonly receivers: Iterator<Receiver>
}

interface Queue<Receiver> {
  readonly name: string
  /** In the order of the calls; `first` counts those that have begun, and are removed from time to time. */
  readonly waiting: Waiting<Receiver>[]
  first: number
  pass: Pass<Receiver> | null
}

export interface DeliveryLineOptions {
  /** Called when the deliveries of a sender wait for too long, or are too many; not for those of the server. */
  readonly onLate?: (principal: string) => void
  /** Returns the time in milliseconds, which only grows. */
  readonly now?: () => number
}

/**
 * Notifies the receivers of deliveries. Rooms are large, and one message to each of twenty thousand members is twenty thousand
 * writes: so the line stops after a few milliseconds, and other work of the event loop comes in between. Then senders take
 * turns, and the queues of one sender. Where a queue falls behind, each receiver gets what waits for it together, which costs
 * little more than one delivery: a room under load delays messages and does not lose them.
 */
export class DeliveryLine<Receiver> {
  readonly #onLate: (principal: string) => void
  readonly #now: () => number
  readonly #queues = new Map<string, Queue<Receiver>>()
  /** The queues that have something to deliver, by the sender of what is next in them; the next one first. */
  readonly #senders = new Map<string, Map<string, Queue<Receiver>>>()
  /** Characters of what waits, by the sender. */
  readonly #lengths = new Map<string, number>()
  /** Its units are receivers. */
  readonly #slice: TimeSlice

  constructor({ onLate = () => {}, now = () => performance.now() }: DeliveryLineOptions = {}) {
    this.#onLate = onLate
    this.#now = now
    this.#slice = new TimeSlice({ maxMs: SLICE_MS, maxUnits: MAX_IN_SLICE, checkEvery: CHUNK, now }, () =>
      this.#proceed(),
    )
  }

  /** Delivers at once, unless the slice of this iteration is over or the queue has others to deliver before. */
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

  /** Serves a queue for a moment. @returns whether it is empty now, and gone */
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
    // A delivery without receivers takes no time of the slice: it would only delay those behind it, which reach clients that
    // have logged in meanwhile and read the same messages from the database.
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

  /** Puts a queue behind the others of the sender of what is next in it. */
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

  /** Takes the queue that is next out of the line; its sender goes to the end. */
  #takeNext(): Queue<Receiver> {
    const [principal, queues] = this.#senders.entries().next().value!
    const [name, queue] = queues.entries().next().value!
    queues.delete(name)
    this.#senders.delete(principal)
    if (queues.size > 0) this.#senders.set(principal, queues)
    return queue
  }
}

/** Takes the deliveries that each receiver gets together: at least one. */
function takeTogether<Receiver>(queue: Queue<Receiver>): readonly Waiting<Receiver>[] {
  // Deliveries without a queue of their own have different receivers.
  const most = queue.name === '' ? 1 : MAX_TOGETHER
  let end = queue.first
  for (let length = 0; end < queue.waiting.length && end - queue.first < most; end++) {
    length += queue.waiting[end]!.length
    if (end > queue.first && length > MAX_LENGTH_TOGETHER) break
  }
  const deliveries = queue.waiting.slice(queue.first, end)
  queue.first = end
  return deliveries
}
