export type Bytes = AsyncIterable<Buffer>

const NONE = Buffer.alloc(0)

/**
 * Reads a stream of bytes in chunks, with lookahead. A fault of the stream is thrown after all bytes before it have been read.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #ahead: Buffer = NONE
  #ended = false
  #fault: unknown
  /** Bytes that have been read. */
  position = 0

  constructor(bytes: Bytes) {
    this.#source = bytes[Symbol.asyncIterator]()
  }

  /** The error of the stream; undefined when there is none yet. */
  get fault(): unknown {
    return this.#fault
  }

  /** Returns the next bytes without consuming them: fewer than `size` only if the stream ends or is cut off. */
  async peek(size: number): Promise<Buffer> {
    if (this.#ahead.length < size) {
      const pieces = [this.#ahead]
      let length = this.#ahead.length
      while (length < size) {
        const piece = await this.#pull()
        if (!piece) break
        pieces.push(piece)
        length += piece.length
      }
      this.#ahead = Buffer.concat(pieces)
    }
    return this.#ahead.subarray(0, size)
  }

  /** Returns the next bytes, at most `max`; null at the end. */
  async next(max = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    if (this.#ahead.length === 0) {
      const piece = await this.#pull()
      if (!piece) {
        if (this.#fault !== undefined) throw this.#fault
        return null
      }
      this.#ahead = piece
    }
    const taken = this.#ahead.subarray(0, max)
    this.#ahead = this.#ahead.subarray(taken.length)
    this.position += taken.length
    return taken
  }

  /** Pushes back the last bytes that `next` returned. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#ahead = this.#ahead.length === 0 ? bytes : Buffer.concat([bytes, this.#ahead])
    this.position -= bytes.length
  }

  /** Returns exactly `size` bytes; null if the stream ends earlier. */
  async take(size: number): Promise<Buffer | null> {
    const bytes = await this.peek(size)
    if (bytes.length < size) {
      if (this.#fault !== undefined) throw this.#fault
      return null
    }
    this.#ahead = this.#ahead.subarray(size)
    this.position += size
    return bytes
  }

  /** Skips bytes. @returns false if the stream ends earlier */
  async skip(size: number): Promise<boolean> {
    for (let left = size; left > 0; ) {
      const piece = await this.next(left)
      if (!piece) return false
      left -= piece.length
    }
    return true
  }

  /** Yields the remaining bytes. */
  async *rest(): AsyncGenerator<Buffer> {
    for (let piece = await this.next(); piece; piece = await this.next()) yield piece
  }

  /** Closes the stream without reading the rest. */
  async close(): Promise<void> {
    this.#ended = true
    await this.#source.return?.()
  }

  async #pull(): Promise<Buffer | null> {
    while (!this.#ended) {
      try {
        const { done, value } = await this.#source.next()
        if (done) this.#ended = true
        else if (value.length > 0) return value
      } catch (error) {
        this.#ended = true
        this.#fault = error
      }
    }
    return null
  }
}
