import type { Log } from '../log.ts'
import { Listeners } from './listeners.ts'

/** Who on this node listens to which topic. */
export class Subscriptions {
  readonly #log: Log
  readonly #topics = new Map<string, Listeners<[message: string]>>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @returns a function that ends the subscription */
  add(topic: string, listener: (message: string) => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Listeners(this.#log)
    this.#topics.set(topic, listeners)
    const remove = listeners.add(listener)
    return () => {
      remove()
      // Topics may be many and short-lived. An end that is called again must not take a successor away.
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic)
    }
  }

  deliver(topic: string, message: string): void {
    this.#topics.get(topic)?.tell(message)
  }
}
