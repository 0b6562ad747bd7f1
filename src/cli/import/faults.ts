import { SourceFault } from '../../import/sources/source-fault.ts'

/** Faults that are listed. A file may have one in each of its lines. */
const MAX_FAULTS = 1000
const FURTHER = 'further faults, which are not listed'
const MAX_CLASSES = 10_000

/** What of a source could not be read, each once, and the first of many. */
export class Faults implements Iterable<string> {
  readonly #texts = new Set<string>()
  /** All of them, also those that are not listed. */
  count = 0

  add(text: string): void {
    this.count++
    this.#texts.add(this.#texts.size < MAX_FAULTS ? text : FURTHER)
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#texts.values()
  }
}

/** The classes and relations that the records of a source name, which are counted one by one. */
export class NamedClasses {
  readonly #names = new Set<string>()

  /** @throws SourceFault where there are more than any app has */
  add(name: string): void {
    this.#names.add(name)
    if (this.#names.size > MAX_CLASSES) throw new SourceFault(`it names more than ${MAX_CLASSES} classes and relations`)
  }
}
