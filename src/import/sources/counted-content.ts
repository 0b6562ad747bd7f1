import { ByteReader } from './byte-reader.ts'

/** Counts of a file's content, made without knowledge of its form. */
export interface ContentCounts {
  readonly bytes: number
  /**
   * Lines that are neither empty nor comments; null when the file contains NUL bytes, so that it is not text in an
   * ASCII-compatible encoding.
   */
  readonly lines: number | null
  /** Lines with a header of an export. */
  readonly headers: number
}

const [NEWLINE, HASH] = [10, 35]
const BLANKS = new Set([9, 11, 12, 13, 32])
/** The bytes of a byte-order mark. */
const MARK = new Set([0xef, 0xbb, 0xbf])
const HEADER = Buffer.from('#filetype:')

/**
 * Counts the bytes, lines and headers of a file while another reader parses its records. Records that the parser loses show up as
 * a difference between the counts.
 */
export class CountedContent {
  /** The reader to use in place of the counted one. */
  readonly reader: ByteReader
  #bytes = 0
  #lines = 0
  #headers = 0
  #hasNul = false
  /** Number of header bytes that the current line begins with; null when the line is already counted, or a comment. */
  #start: number | null = 0
  #isIndented = false

  constructor(reader: ByteReader) {
    this.reader = new ByteReader(this.#counted(reader))
  }

  /** The counts of the bytes read so far. */
  get counts(): ContentCounts {
    return { bytes: this.#bytes, lines: this.#hasNul ? null : this.#lines, headers: this.#headers }
  }

  async *#counted(reader: ByteReader): AsyncGenerator<Buffer> {
    for await (const piece of reader.rest()) {
      this.#bytes += piece.length
      this.#hasNul ||= piece.includes(0)
      this.#count(piece)
      yield piece
    }
  }

  #count(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#start === null) {
        const end = piece.indexOf(NEWLINE, at)
        if (end < 0) return
        this.#beginLine()
        at = end + 1
      } else this.#readStart(piece[at++]!)
    }
  }

  #beginLine(): void {
    this.#start = 0
    this.#isIndented = false
  }

  #readStart(byte: number): void {
    const start = this.#start!
    if (byte === NEWLINE) this.#beginLine()
    else if (start > 0) {
      this.#start = byte === HEADER[start] ? start + 1 : null
      if (this.#start !== HEADER.length) return
      this.#headers++
      this.#start = null
    } else if (byte === HASH && !this.#isIndented) this.#start = 1
    else if (BLANKS.has(byte)) this.#isIndented = true
    else if (!MARK.has(byte)) {
      this.#lines++
      this.#start = null
    }
  }
}
