import type { Log } from '../log.ts'

/** Whether Redis is there, said in the log once when it goes away and once when it is back. */
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
   * Takes note of what an attempt has shown.
   * @returns whether it is news: a loss or a return; that the first attempt succeeds is none
   */
  note(connected: boolean, reason?: unknown): boolean {
    if (connected === this.#connected) return false
    const first = this.#connected === undefined
    this.#connected = connected
    if (connected && first) return false
    if (connected) this.#log.info({}, 'Redis is back')
    else this.#log.warn({ error: failureText(reason) }, `Redis is away: ${this.#loss}; trying on`)
    return true
  }
}

function failureText(error: unknown): string {
  // A host with several addresses fails with an error for each, and no text of its own.
  if (error instanceof AggregateError) return error.errors.map(failureText).join('; ')
  return error instanceof Error ? error.message : 'the connection ended'
}
