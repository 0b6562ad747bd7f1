const BACKSLASH = 92
/** By how much the place for rows grows where it is too small. */
const GROWTH = 1.5
/** Characters of a text whose bytes need not be counted. */
const SHORT = 4096

/** Collects rows in the text form of COPY, as bytes. */
export class RowBuffer {
  /** Of its own, not of the memory that small buffers share: a thread can hand it over. */
  #rows: Buffer
  #length = 0

  /** @param size bytes that the rows will probably have */
  constructor(size: number) {
    this.#rows = Buffer.allocUnsafeSlow(Math.max(size, 1024))
  }

  /** @param text as it is to stand in a row */
  append(text: string): void {
    // A unit of UTF-16 has three bytes at most; to count them costs as much as to write them.
    this.#makeRoom(text.length < SHORT ? 3 * text.length : Buffer.byteLength(text))
    this.#length += this.#rows.write(text, this.#length)
  }

  /** Appends JSON as a value. Backslashes are doubled where they lie: a text of millions of them would take seconds to replace. */
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
