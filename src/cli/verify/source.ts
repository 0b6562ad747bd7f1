import type { Item, Kind } from '../../import/batch.ts'
import { countedAs } from '../../import/batch.ts'
import type { HostedClass } from '../../import/forms/form.ts'
import type { Notice } from '../../notices/notice.ts'
import { BATCH_ITEMS, BATCH_SIZE } from '../import/send-batch.ts'
import type { SourceBatch } from './verification.ts'

/** The source that an app is compared with: files, or a running app. It can be read once. */
export interface VerifiedSource {
  /** The schemas of its classes, if known. */
  readonly schemas: ReadonlyMap<string, HostedClass>
  /** The kinds of records that it has, including classes without records. */
  readonly kinds: readonly Kind[]
  batches(): AsyncIterable<SourceBatch>
  /** Parts that could not be read; complete after the batches have ended. */
  readonly faults: Iterable<Notice>
  /** Further remarks; complete after the batches have ended. */
  readonly remarks: readonly Notice[]
}

/** A record to be added to a batch. */
export interface SourceRecord {
  readonly of: Kind
  readonly file: string
  readonly item: Item
}

/** Groups consecutive records of one kind into batches, up to the size of a request. */
export async function* batched(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceBatch> {
  let first: SourceRecord | null = null
  let items: Item[] = []
  let size = 0
  for await (const record of records) {
    const { of, file, item } = record
    const isOther = first !== null && (first.file !== file || !isSameKind(first.of, of))
    if (first && (isOther || items.length >= BATCH_ITEMS || size + item.text.length > BATCH_SIZE)) {
      yield { of: first.of, file: first.file, items }
      first = null
      items = []
      size = 0
    }
    first ??= record
    items.push(item)
    size += item.text.length
  }
  if (first) yield { of: first.of, file: first.file, items }
}

function isSameKind(a: Kind, b: Kind): boolean {
  return a.kind === b.kind && countedAs(a) === countedAs(b)
}
