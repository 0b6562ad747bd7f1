import type { Log } from '../log.ts'
import { Listeners } from './listeners.ts'

/** Called when a topic gets its first listener, and when it has lost its last. */
export interface TopicChanges {
  began(topic: string): void
  ended(topic: string): void
}

/** The listeners of this node by topic. */
export class Subscriptions {
  readonly #log: Log
  readonly #changes: TopicChanges | undefined
  readonly #topics = new Map<string, Listeners<[message: string]>>()

  constructor(log: Log, changes?: TopicChanges) {
    this.#log = log
    this.#changes = changes
  }

  /** Returns the topics that have listeners. */
  topics(): string[] {
    return [...this.#topics.keys()]
  }

  /** @returns a function that ends the subscription */
  add(topic: string, listener: (message: string) => void): () => void {
    const known = this.#topics.get(topic)
    const listeners = known ?? new Listeners(this.#log)
    const remove = listeners.add(listener)
    if (!known) {
      this.#topics.set(topic, listeners)
      this.#changes?.began(topic)
    }
    return () => {
      remove()
      // Topics may be numerous and short-lived. Calling the function twice must not remove a later subscription of the
      // same topic.
      if (listeners.size > 0 || this.#topics.get(topic) !== listeners) return
      this.#topics.delete(topic)
      this.#changes?.ended(topic)
    }
  }

  deliver(topic: string, message: string): void {
    this.#topics.get(topic)?.notify(message)
  }
}
