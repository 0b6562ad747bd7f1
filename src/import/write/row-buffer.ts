const BACKSLASH = 92
/** Growth factor of the buffer. */
const GROWTH = 1.5
/** Maximum characters of a text whose bytes are estimated instead of counted. */
const SHORT = 4096

/** Collects rows in the text format of COPY, as bytes. */
export class RowBuffer {
  /** Not from the shared pool of small buffers, so that a thread can transfer it. */
  #rows: Buffer
  #length = 0

  /** @param size expected bytes of the rows */
  constructor(size: number) {
    this.#rows = Buffer.allocUnsafeSlow(Math.max(size, 1024))
  }

  /** @param text the text in its escaped form */
  append(text: string): void {
    // A UTF-16 unit has at most three bytes. Counting them takes as long as writing them.
    this.#makeRoom(text.length < SHORT ? 3 * text.length : Buffer.byteLength(text))
    this.#length += this.#rows.write(text, this.#length)
  }

  /** Appends JSON as a value. Backslashes are doubled in place: replacing millions of them in a string would take seconds. */
  appendJson(json: string): void {
    const start = this.#length
    this.append(json)
    if (!json.includes('\\')) return
    let count = 0
    for (let index = start; index < this.#length; index++) if (this.#rows[index] === BACKSLASH) count++
    this.#makeRoom(count)
    const rows = this.#rows
    let from = this.#length - 1
    this.#length += count
    for (let to = this.#length - 1; to > from; from--) {
      const byte = rows[from]!
      rows[to--] = byte
      if (byte === BACKSLASH) rows[to--] = BACKSLASH
    }
  }

  bytes(): Uint8Array {
    return this.#rows.subarray(0, this.#length)
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#rows.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(this.#rows.length * GROWTH)))
    this.#rows.copy(larger, 0, 0, this.#length)
    this.#rows = larger
  }
}
