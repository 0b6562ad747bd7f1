/** Bytes of messages that wait to be taken by the server that passes them on: some seconds of a busy node. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Bounds what waits in memory while a server takes messages slowly, or does not answer and is not known to be away yet. */
export class WaitingBytes {
  readonly #max: number
  #waiting = 0

  constructor(max = MAX_WAITING_BYTES) {
    this.#max = max
  }

  /**
   * Sends a message, and counts it as waiting until that has ended. A message that comes while nothing waits is sent whatever its size.
   * @throws Error, by the promise, when too much waits; then nothing is sent
   */
  async during(bytes: number, send: () => Promise<void>): Promise<void> {
    if (this.#waiting > 0 && this.#waiting + bytes > this.#max)
      throw new Error(`More than ${this.#max} bytes wait to be published.`)
    this.#waiting += bytes
    try {
      await send()
    } finally {
      this.#waiting -= bytes
    }
  }
}
