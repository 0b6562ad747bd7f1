import type { Log } from '../log.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import type { Bus } from './bus.ts'

export interface ReplicatedCacheOptions<Value> {
  readonly bus: Bus
  /** The topic of changes: a subject, or '' for everything. */
  readonly topic: string
  /** Reads a value from the database; null when there is none. */
  readonly load: (key: string) => Promise<Value>
  /** How long a value is cached, in milliseconds. A change that another node could not publish takes effect after that. */
  readonly age: number
  /** Maximum total weight of the values. */
  readonly size: number
  /** Returns the weight of a value; 1 by default. */
  readonly weigh?: (value: NonNullable<Value>) => number
  /** Returns the subject under which a change of a value is published; by default its key. */
  readonly subjectOf?: (value: NonNullable<Value>) => string
  /** Called when a node has published a change, after the value was dropped here. */
  readonly changed?: (subject: string) => void
  /** The effect of a change that could not be published, for the log. */
  readonly risk: string
  readonly log: Log
}

/** Interval between attempts to publish failed changes, in milliseconds. */
const REPETITION = 250
/** Maximum number of unpublished subjects; beyond it, a change of everything is published. */
const MAX_UNPUBLISHED = 1000

/**
 * A cache of database values in each node's memory, invalidated by the node that changes them. Values are cached for a
 * bounded time and within a bounded weight.
 *
 * A value is never older than the last change that had arrived when it was requested. So a value that was being read
 * when a change arrived is not cached, and later requests read it again. While the bus is not connected nothing is
 * cached, and when messages may have been missed the cache is cleared. Concurrent requests for a value share one read.
 * Null represents a value that does not exist, and is not cached.
 *
 * `bus.subscribed()` has to resolve before the first use.
 */
export class ReplicatedCache<Value> {
  readonly #options: ReplicatedCacheOptions<Value>
  readonly #bus: Bus
  readonly #values: TtlCache<NonNullable<Value>>
  /** Reads in progress. A change removes the reads of its subject. */
  readonly #loads = new Map<string, Promise<Value>>()
  readonly #unsubscribe: readonly (() => void)[]
  /** Subjects whose change could not be published, with the time when no other node caches the old value any more. */
  #unpublished = new Map<string, number>()
  #repetition: NodeJS.Timeout | undefined
  #repeating = false

  constructor(options: ReplicatedCacheOptions<Value>) {
    const { bus, topic, age, size, weigh, subjectOf } = options
    this.#options = options
    this.#bus = bus
    this.#values = new TtlCache({ age, size, ...(weigh && { weigh }), ...(subjectOf && { groupOf: subjectOf }) })
    this.#unsubscribe = [bus.subscribe(topic, (subject) => this.#onMessage(subject)), bus.onGap(() => this.#clear())]
  }

  /** Returns a cached value; undefined when it has to be read. */
  get(key: string): NonNullable<Value> | undefined {
    return this.#bus.connected ? this.#values.get(key) : undefined
  }

  /** Returns the value: at once when it is cached, else when it has been read. */
  find(key: string): Value | Promise<Value> {
    return this.get(key) ?? this.#loads.get(key) ?? this.#load(key)
  }

  /**
   * Drops the values of a committed change from the caches of all nodes. This node has dropped them when the call
   * returns. It never rejects: a failure to reach other nodes is logged, and publishing is retried as long as they may
   * cache the old value.
   * @param subject '' for everything
   */
  async publishChange(subject: string): Promise<void> {
    const { topic, risk, age, log } = this.#options
    try {
      await this.#bus.publish(topic, subject)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ error: reason, effect: risk, seconds: age / 1000 }, 'publishing change to other nodes failed')
      this.#publishLater(subject, performance.now() + age)
    }
  }

  stop(): void {
    clearInterval(this.#repetition)
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  /** @param until when no node caches the old value any more, by `performance.now()` */
  #publishLater(subject: string, until: number): void {
    if (this.#unpublished.size < MAX_UNPUBLISHED) this.#unpublished.set(subject, until)
    else this.#unpublished = new Map([['', until]])
    this.#repetition ??= setInterval(() => void this.#publishAgain(), REPETITION).unref()
  }

  async #publishAgain(): Promise<void> {
    if (this.#repeating) return
    this.#repeating = true
    try {
      for (const [subject, until] of this.#unpublished) {
        if (performance.now() < until) await this.#bus.publish(this.#options.topic, subject)
        // Keeps the subject if its publication failed once more meanwhile.
        if (this.#unpublished.get(subject) === until) this.#unpublished.delete(subject)
      }
    } catch {
      // The next repetition tries again.
    }
    this.#repeating = false
    if (this.#unpublished.size > 0) return
    clearInterval(this.#repetition)
    this.#repetition = undefined
  }

  #onMessage(subject: string): void {
    const { subjectOf, changed } = this.#options
    if (subject === '') this.#clear()
    else if (subjectOf) {
      // The subjects of the values being read are not known yet.
      this.#loads.clear()
      this.#values.deleteGroup(subject)
    } else {
      this.#loads.delete(subject)
      this.#values.delete(subject)
    }
    changed?.(subject)
  }

  #clear(): void {
    this.#loads.clear()
    this.#values.clear()
  }

  #load(key: string): Promise<Value> {
    const load = this.#options.load(key).then(
      (value) => {
        if (this.#endLoad(key, load) && value !== null && value !== undefined && this.#bus.connected)
          this.#values.set(key, value)
        return value
      },
      (error) => {
        this.#endLoad(key, load)
        throw error
      },
    )
    this.#loads.set(key, load)
    return load
  }

  /** @returns whether no change has arrived meanwhile */
  #endLoad(key: string, load: Promise<Value>): boolean {
    return this.#loads.get(key) === load && this.#loads.delete(key)
  }
}
