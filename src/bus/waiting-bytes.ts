/** Maximum bytes of messages that wait for the database or Redis to accept them: some seconds of a busy node. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Bounds the messages in memory while a server accepts them slowly, or does not respond and its outage is not yet detected. */
export class WaitingBytes {
  readonly #max: number
  #waiting = 0

  constructor(max = MAX_WAITING_BYTES) {
    this.#max = max
  }

  /**
   * Sends a message, and counts its bytes as waiting until it is sent. While nothing waits, a message of any size is
   * sent.
   * @throws Error, by the promise, when too many bytes wait; then nothing is sent
   */
  async during(bytes: number, send: () => Promise<void>): Promise<void> {
    if (this.#waiting > 0 && this.#waiting + bytes > this.#max)
      throw new Error(`More than ${this.#max} bytes are waiting to be published.`)
    this.#waiting += bytes
    try {
      await send()
    } finally {
      this.#waiting -= bytes
    }
  }
}
