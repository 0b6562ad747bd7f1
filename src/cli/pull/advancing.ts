import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'

/** The source never ends: its pages repeat, or are not in the requested order. */
export class NoAdvance extends NoticedError {
  override readonly name = 'NoAdvance'
}

/**
 * Checks that ids ascend from a position. Each page is requested after the last id of the previous page, so a source that sends
 * other ids would be read endlessly.
 * @param what names the class or relation in the error
 * @param last the id at the position; null at the beginning
 * @param ids ASCII, in the order of the response
 * @throws NoAdvance
 */
export function checkAscending(what: Notice, last: string | null, ids: readonly string[]): void {
  let before = last
  for (const id of ids) {
    if (before !== null && id <= before)
      throw new NoAdvance(notice('idsNotAscending', { what, id: id.slice(0, 40), before: before.slice(0, 40) }))
    before = id
  }
}

/**
 * Detects repeated cursors in constant memory: one cursor is remembered, and replaced after 1, 2, 4, … further ones. A cycle is
 * found after at most three times its length (Brent's algorithm).
 */
export class CursorCycle {
  #remembered: string | null = null
  #left = 1
  #power = 1

  /** Adds the next cursor. @returns true when it is known to be repeated */
  isRepeated(cursor: string): boolean {
    if (cursor === this.#remembered) return true
    if (--this.#left === 0) {
      this.#remembered = cursor
      this.#left = this.#power *= 2
    }
    return false
  }
}

/** Maximum characters of a cursor, which is part of a URL and of the mark of an import. */
const MAX_CURSOR = 1000

/** Returns whether a value of the source can be used as a cursor. */
export function isCursor(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CURSOR
}
