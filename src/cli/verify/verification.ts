import { countedAs, type Item, type Kind } from '../../import/batch.ts'
import type { KeyPage, VerifiedBatch, VerifyBatch } from '../../import/verification.ts'
import { notice } from '../../notices/notice.ts'
import { compareText } from '../../values/json.ts'
import { insisting } from '../import/send-batch.ts'
import type { Management } from '../management.ts'
import type { KeyStore } from './key-store.ts'
import type { Arrival } from './meaning.ts'
import type { Tally } from './tally.ts'

/** Maximum bytes of a request with a single record, a little below the server's maximum. */
const MAX_REQUEST = 19 * 1024 * 1024
/** Characters of a text that always fits into a request. */
const SMALL = 3 * 1024 * 1024
const SHOWN = 2000

/** Records of a source that are compared together. */
export type SourceBatch = Omit<VerifyBatch, 'share'>

export interface VerificationOptions {
  readonly management: Management
  /** The path of the app in the management API. */
  readonly appPath: string
  readonly keys: KeyStore
  readonly tally: Tally
  readonly arrivalOf: (of: Kind) => Arrival
  /** Returns the share of records of a kind whose fields are all compared, from 0 to 1. */
  readonly shareOf: (of: Kind) => number
  /** Called with the numbers of compared records and of faults. */
  readonly onCompared: (of: Kind, read: number, faults: number) => void
  /** Former hosts of files, if URLs in texts may have been rewritten. */
  readonly formerPlaces: readonly string[]
  /** Resolves when there is buffer space for further differences. */
  readonly written: () => Promise<void>
}

/** Compares a source with an app: each batch as it is read, and at the end the records here with all records read. */
export class Verification {
  readonly #options: VerificationOptions
  readonly #path: string

  constructor(options: VerificationOptions) {
    this.#options = options
    this.#path = `${options.appPath}/verifications`
  }

  /** @throws FailedRequest when the server cannot be reached for a minute */
  async compare({ of, file, items }: SourceBatch): Promise<void> {
    const { management, keys, tally, arrivalOf, shareOf, formerPlaces, onCompared } = this.#options
    const body: VerifyBatch = {
      of,
      file: file.slice(-1000),
      items: items.map(sendable),
      share: shareOf(of),
      ...(formerPlaces.length > 0 && { formerPlaces }),
    }
    const verified = (await insisting(() => management.request('POST', `${this.#path}/batches`, body))) as VerifiedBatch
    if (isListed(of)) await keys.add(countedAs(of), verified.keys)
    const before = tally.faults
    tally.addBatch(of, items.length, verified, arrivalOf(of))
    onCompared(of, items.length, tally.faults - before)
    await this.#options.written()
  }

  /** Finds records that exist here but not at the source. */
  async findOnlyHere(of: Kind): Promise<void> {
    if (!isListed(of)) return
    const { keys, tally, arrivalOf } = this.#options
    const arrival = arrivalOf(of)
    const there = new Distinct(keys.sorted(countedAs(of)))
    let expected = await there.next()
    let here = 0
    for await (const [key, since] of this.#keysHere(of)) {
      here++
      while (expected !== null && compareText(expected, key) < 0) expected = await there.next()
      if (expected !== key) tally.addOnlyHere(of, key, since, arrival)
    }
    while (expected !== null) expected = await there.next()
    tally.setHere(of, here, there.repeated)
  }

  async *#keysHere(of: Kind): AsyncGenerator<KeyPage['keys'][number]> {
    for (let after: string | null = null; ; ) {
      const requestKeys = () => this.#options.management.request('POST', `${this.#path}/keys`, { of, after })
      const page = (await insisting(requestKeys)) as KeyPage
      yield* page.keys
      await this.#options.written()
      if (page.isLast) return
      after = page.keys.at(-1)![0]
    }
  }
}

/** Returns whether records that only exist here are reported. For other kinds, later additions are normal. */
function isListed({ kind, className }: Kind): boolean {
  return kind === 'objects' || kind === 'relations' || className === 'messaging-messages'
}

/** Yields each key once, in order. */
class Distinct {
  readonly #keys: AsyncIterator<string>
  #last: string | null = null
  repeated = 0

  constructor(keys: AsyncIterable<string>) {
    this.#keys = keys[Symbol.asyncIterator]()
  }

  /** null: there are no more keys */
  async next(): Promise<string | null> {
    for (;;) {
      const { value, done } = await this.#keys.next()
      if (done) return null
      if (value !== this.#last) {
        this.#last = value
        return value
      }
      this.repeated++
    }
  }
}

/** Truncates and rejects a record that is larger than any object, because no request can contain it. */
function sendable(item: Item): Item {
  if (item.text.length <= SMALL || Buffer.byteLength(JSON.stringify(item.text)) <= MAX_REQUEST) return item
  const reason = notice('recordTooLong', { characters: item.text.length })
  return { at: item.at, text: item.text.slice(0, SHOWN), reason }
}
