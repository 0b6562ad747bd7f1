import type { Item, Kind } from '../../import/batch.ts'
import { countedAs } from '../../import/batch.ts'
import type { HostedClass } from '../../import/forms/form.ts'
import type { Notice } from '../../notices/notice.ts'
import { BATCH_ITEMS, BATCH_SIZE } from '../import/send-batch.ts'
import type { SourceBatch } from './verification.ts'

/** What is compared with an app: files, or an app that runs. It is read once. */
export interface VerifiedSource {
  /** Columns of its classes, where it tells them. */
  readonly schemas: ReadonlyMap<string, HostedClass>
  /** What it has records of; of classes among them that have none, too. */
  readonly kinds: readonly Kind[]
  batches(): AsyncIterable<SourceBatch>
  /** What of it could not be read; complete when the batches have ended. */
  readonly faults: Iterable<Notice>
  /** What else should be known; complete then, too. */
  readonly remarks: readonly Notice[]
}

/** A record on its way into a batch. */
export interface SourceRecord {
  readonly of: Kind
  readonly file: string
  readonly item: Item
}

/** Puts records together that stand behind each other and are of one kind, as many as a request should have. */
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
