import { SourceFault } from '../../import/sources/source-fault.ts'
import { type Notice, notice, storedNotice } from '../../notices/notice.ts'

/** Maximum faults that are listed. A file may have one in each line. */
const MAX_FAULTS = 1000
const FURTHER = notice('furtherFaults')
const MAX_CLASSES = 10_000

/** The distinct faults of a source, up to a maximum. */
export class Faults implements Iterable<Notice> {
  readonly #notices = new Map<string, Notice>()
  /** Number of all faults, including those that are not listed. */
  count = 0

  add(fault: Notice): void {
    this.count++
    const listed = this.#notices.size < MAX_FAULTS ? fault : FURTHER
    this.#notices.set(storedNotice(listed), listed)
  }

  [Symbol.iterator](): IterableIterator<Notice> {
    return this.#notices.values()
  }
}

/** The distinct classes and relations that the records of a source name. */
export class NamedClasses {
  readonly #names = new Set<string>()

  /** @throws SourceFault when there are more than any app has */
  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size > MAX_CLASSES) throw new SourceFault(notice('tooManyNamedClasses', { maximum: MAX_CLASSES }))
  }
}
