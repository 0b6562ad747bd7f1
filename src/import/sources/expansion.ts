import { notice } from '../../notices/notice.ts'
import type { Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** Unpacked bytes from which on expansion is checked, and how many times the packed size they may be. */
const HARMLESS = 64 * 1024 * 1024
const MAX_TIMES = 300

/**
 * Bounds what all archives of a source expand to, those within others too: each level alone may expand by its factor, and three
 * of them by its third power.
 */
export class ExpansionBound {
  readonly #packed: () => number
  readonly #unpacked: number[] = []

  /** @param packed returns the size of the source in bytes, or how much of it has been read */
  constructor(packed: () => number) {
    this.#packed = packed
  }

  /** Counts content that lies in `depth` archives. @throws SourceFault where all of that depth expands too much */
  async *counted(bytes: Bytes, depth: number): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      const unpacked = (this.#unpacked[depth] ?? 0) + piece.length
      this.#unpacked[depth] = unpacked
      checkExpansion(unpacked, this.#packed())
      yield piece
    }
  }
}

/** @throws SourceFault for what expands so much that it must be meant to do harm */
export function checkExpansion(unpacked: number, packed: number): void {
  if (unpacked > HARMLESS && unpacked > packed * MAX_TIMES)
    throw new SourceFault(notice('expandsTooMuch', { times: MAX_TIMES }))
}
