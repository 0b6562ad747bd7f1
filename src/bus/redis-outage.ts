import type { Log } from '../log.ts'

/** Whether Redis is there. The log says so once when it goes away and once when it is back. */
export class RedisOutage {
  readonly #log: Log
  readonly #loss: string
  /** undefined: not yet tried. */
  #connected: boolean | undefined

  /** @param loss what does not work meanwhile, for the log */
  constructor(log: Log, loss: string) {
    this.#log = log
    this.#loss = loss
  }

  get connected(): boolean {
    return this.#connected === true
  }

  /**
   * Takes note of the outcome of an attempt.
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
  // For a host with several addresses there is an error for each, and no text for all.
  if (error instanceof AggregateError) return error.errors.map(failureText).join('; ')
  return error instanceof Error ? error.message : 'the connection ended'
}
