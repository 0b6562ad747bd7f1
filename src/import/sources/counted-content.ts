import { ByteReader } from './byte-reader.ts'
import { INVISIBLE_BYTES } from './invisible-bytes.ts'

/** Counts of a file's content, made without knowledge of its form. */
export interface ContentCounts {
  readonly bytes: number
  /**
   * Lines that are neither empty nor comments; null when the file contains NUL bytes, so that it is not text in an
   * ASCII-compatible encoding.
   */
  readonly lines: number | null
  /** Lines with a header of an export. A header that follows a record in its line is not counted. */
  readonly headers: number
}

const [NEWLINE, HASH] = [10, 35]
const BLANKS = new Set([9, 11, 12, 13, 32])
const INVISIBLE = new Set(INVISIBLE_BYTES)
/** The letters of a header after its `#`, in lower case. Blanks may precede the first letter and the colon. */
const HEADER = Buffer.from('filetype:')
const UPPER_TO_LOWER = 32
/** The bytes of a byte-order mark. */
const MARK = new Set([0xef, 0xbb, 0xbf])

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
  /**
   * Number of header bytes that the current line begins with, `#` included; null when the line is already counted, or a
   * comment.
   */
  #start: number | null = 0
  #isIndented = false

  constructor(reader: ByteReader) {
    this.reader = new ByteReader(this.#counted(reader))
  }

  /** The counts of the bytes read so far. */
  get counts(): ContentCounts {
    const unfinished = this.#isIndented && this.#start !== null && this.#start > 0 ? 1 : 0
    return { bytes: this.#bytes, lines: this.#hasNul ? null : this.#lines + unfinished, headers: this.#headers }
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
    if (byte === NEWLINE) {
      if (start > 0) this.#endStart()
      this.#beginLine()
    } else if (start > 0) {
      const expected = HEADER[start - 1]
      const isLetter = byte === expected || byte + UPPER_TO_LOWER === expected
      if (!isLetter && BLANKS.has(byte) && (start === 1 || start === HEADER.length)) return
      if (!isLetter) {
        this.#endStart()
        return
      }
      this.#start = start + 1
      if (this.#start <= HEADER.length) return
      this.#headers++
      this.#start = null
    } else if (byte === HASH) this.#start = 1
    else if (BLANKS.has(byte)) this.#isIndented = true
    else if (!INVISIBLE.has(byte)) {
      this.#lines++
      this.#start = null
    } else if (!MARK.has(byte)) this.#isIndented = true
  }

  /** Ends the start of a line with `#` that is not a header: a comment, or a line if `#` is indented. */
  #endStart(): void {
    if (this.#isIndented) this.#lines++
    this.#start = null
  }
}
