import type { Log } from '../log.ts'
import { TtlCache } from '../values/ttl-cache.ts'
import type { Bus } from './bus.ts'

export interface ReplicatedCacheOptions<Value> {
  readonly bus: Bus
  /** On this topic nodes publish what has changed: a subject, or '' for everything. */
  readonly topic: string
  /** Reads a value from the database; null when there is none. */
  readonly load: (key: string) => Promise<Value>
  /** For how long a value is kept, in milliseconds. A change that another node could not publish is noticed after that. */
  readonly age: number
  /** What all values may weigh together. */
  readonly size: number
  /** What a value weighs; 1 unless given. */
  readonly weigh?: (value: NonNullable<Value>) => number
  /** The subject under which a change of a value is published; its key unless given. */
  readonly subjectOf?: (value: NonNullable<Value>) => string
  /** Called when a node has published a change, after it was forgotten here. */
  readonly changed?: (subject: string) => void
  /** The effect of a change that could not be published, for the log. */
  readonly risk: string
  readonly log: Log
}

/** Milliseconds between two tries to publish what could not be published. */
const REPETITION = 250
/** Subjects beyond which everything is said to have changed. */
const MOST_UNPUBLISHED = 1000

/**
 * Values of the database that each node keeps in memory until a node says that it has changed them. A value is kept for a
 * bounded time and within a bounded weight.
 *
 * A value is never older than the last change that this node had heard of when it was asked for. So a value that was being
 * read when a change was heard of is not kept, and whoever asks after that has it read again. While the bus is not connected
 * nothing is kept, and when messages may have been missed everything is forgotten. Those who ask for a value at the same time
 * share one reading. Null stands for a value that does not exist, and is not kept.
 *
 * `bus.subscribed()` has to resolve before the first use.
 */
export class ReplicatedCache<Value> {
  readonly #options: ReplicatedCacheOptions<Value>
  readonly #bus: Bus
  readonly #values: TtlCache<NonNullable<Value>>
  /** What is being read. A change takes out what is being read of its subject. */
  readonly #loads = new Map<string, Promise<Value>>()
  readonly #unsubscribe: readonly (() => void)[]
  /** What has changed and could not be published, each until when no other node keeps what was before. */
  #unpublished = new Map<string, number>()
  #repetition: NodeJS.Timeout | undefined
  #repeating = false

  constructor(options: ReplicatedCacheOptions<Value>) {
    const { bus, topic, age, size, weigh, subjectOf } = options
    this.#options = options
    this.#bus = bus
    this.#values = new TtlCache({ age, size, ...(weigh && { weigh }), ...(subjectOf && { groupOf: subjectOf }) })
    this.#unsubscribe = [bus.subscribe(topic, (subject) => this.#hear(subject)), bus.onGap(() => this.#clear())]
  }

  /** A value that is kept here; undefined when it would have to be read. */
  get(key: string): NonNullable<Value> | undefined {
    return this.#bus.connected ? this.#values.get(key) : undefined
  }

  /** The value: at once when it is kept here, else when it has been read. */
  find(key: string): Value | Promise<Value> {
    return this.get(key) ?? this.#loads.get(key) ?? this.#load(key)
  }

  /**
   * Makes all nodes forget what has changed and is committed. This one has forgotten when the call returns. It never
   * rejects: that other nodes could not be reached is logged, and tried again as long as they may keep what was before.
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

  /** @param until when no node keeps what it had before the change, by `performance.now()` */
  #publishLater(subject: string, until: number): void {
    if (this.#unpublished.size < MOST_UNPUBLISHED) this.#unpublished.set(subject, until)
    else this.#unpublished = new Map([['', until]])
    this.#repetition ??= setInterval(() => void this.#publishAgain(), REPETITION).unref()
  }

  async #publishAgain(): Promise<void> {
    if (this.#repeating) return
    this.#repeating = true
    try {
      for (const [subject, until] of this.#unpublished) {
        if (performance.now() < until) await this.#bus.publish(this.#options.topic, subject)
        // Unless the same could not be published once more meanwhile.
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

  #hear(subject: string): void {
    const { subjectOf, changed } = this.#options
    if (subject === '') this.#clear()
    else if (subjectOf) {
      // The subject of what is being read is not known yet.
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

  /** @returns whether no change was heard of meanwhile */
  #endLoad(key: string, load: Promise<Value>): boolean {
    return this.#loads.get(key) === load && this.#loads.delete(key)
  }
}
