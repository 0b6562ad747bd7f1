import type { Log } from '../log.ts'

/** Tracks whether Redis is available, and logs once when the connection is lost and once when it is back. */
export class RedisOutage {
  readonly #log: Log
  readonly #loss: string
  /** undefined: not yet tried. */
  #connected: boolean | undefined

  /** @param loss the effect of an outage, for the log */
  constructor(log: Log, loss: string) {
    this.#log = log
    this.#loss = loss
  }

  get connected(): boolean {
    return this.#connected === true
  }

  /**
   * Records the outcome of an attempt.
   * @returns whether this is a loss or a return; the success of the first attempt is neither
   */
  note(connected: boolean, reason?: unknown): boolean {
    if (connected === this.#connected) return false
    const first = this.#connected === undefined
    this.#connected = connected
    if (connected && first) return false
    if (connected) this.#log.info({}, 'Redis connection restored')
    else this.#log.warn({ error: failureText(reason), effect: this.#loss }, 'Redis connection lost, reconnecting')
    return true
  }
}

function failureText(error: unknown): string {
  // For a host with several addresses there is one error per address, and no common text.
  if (error instanceof AggregateError) return error.errors.map(failureText).join('; ')
  return error instanceof Error ? error.message : 'the connection ended'
}
