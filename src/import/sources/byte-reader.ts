export type Bytes = AsyncIterable<Buffer>

const NONE = Buffer.alloc(0)

/**
 * Reads a stream of bytes piece by piece, looking ahead where that is needed. A fault of the stream is thrown when all that
 * came before it has been read.
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

  /** What reading the stream has failed with; undefined where it has not, or not yet. */
  get fault(): unknown {
    return this.#fault
  }

  /** The next bytes, without reading them: fewer than `size` only where the stream ends or is cut off. */
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

  /** Whatever comes next, `most` bytes of it at most; null at the end. */
  async next(most = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    if (this.#ahead.length === 0) {
      const piece = await this.#pull()
      if (!piece) {
        if (this.#fault !== undefined) throw this.#fault
        return null
      }
      this.#ahead = piece
    }
    const taken = this.#ahead.subarray(0, most)
    this.#ahead = this.#ahead.subarray(taken.length)
    this.position += taken.length
    return taken
  }

  /** Puts back the last bytes that `next` has returned. */
  unread(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#ahead = this.#ahead.length === 0 ? bytes : Buffer.concat([bytes, this.#ahead])
    this.position -= bytes.length
  }

  /** Exactly so many bytes; null where the stream ends before. */
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

  /** Passes over so many bytes. @returns whether there were as many */
  async skip(size: number): Promise<boolean> {
    for (let left = size; left > 0; ) {
      const piece = await this.next(left)
      if (!piece) return false
      left -= piece.length
    }
    return true
  }

  /** All that is left. */
  async *rest(): AsyncGenerator<Buffer> {
    for (let piece = await this.next(); piece; piece = await this.next()) yield piece
  }

  /** Lets go of the stream, when the rest of it is of no interest. */
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
