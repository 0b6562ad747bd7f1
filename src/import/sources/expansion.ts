import { notice } from '../../notices/notice.ts'
import type { Bytes } from './byte-reader.ts'
import { SourceFault } from './source-fault.ts'

/** Unpacked bytes from which expansion is checked, and the maximum ratio of unpacked to packed size. */
const HARMLESS = 64 * 1024 * 1024
const MAX_TIMES = 300

/**
 * Limits the total expansion of all archives of a source, nested ones included. Checked per level, the ratio could be applied at
 * each of three levels and reach its third power.
 */
export class ExpansionBound {
  readonly #packed: () => number
  readonly #unpacked: number[] = []

  /** @param packed returns the size of the source in bytes, or the bytes of it read so far */
  constructor(packed: () => number) {
    this.#packed = packed
  }

  /** Counts content inside `depth` archives. @throws SourceFault when the content at this depth expands too much */
  async *counted(bytes: Bytes, depth: number): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      const unpacked = (this.#unpacked[depth] ?? 0) + piece.length
      this.#unpacked[depth] = unpacked
      checkExpansion(unpacked, this.#packed())
      yield piece
    }
  }
}

/** @throws SourceFault when the expansion is so large that it must be an attack */
export function checkExpansion(unpacked: number, packed: number): void {
  if (unpacked > HARMLESS && unpacked > packed * MAX_TIMES)
    throw new SourceFault(notice('expandsTooMuch', { times: MAX_TIMES }))
}
