import type { Notice } from '../../../../../src/notices/notice.ts'
import type { Bodies, ImportCounts } from '../../../api/answers.ts'
import { request } from '../../../api/request.ts'
import type { FileRecord } from './rows.ts'

export const ON_CONFLICT = ['skip', 'overwrite', 'newer'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** The numbers of read, created, updated, kept and rejected records. */
export type Counts = ImportCounts

export interface Import {
  readonly appId: string
  readonly importId: string
  readonly className: string
  /** The file name, for display */
  readonly file: string
  readonly onConflict: OnConflict
}

const MAX_RECORDS = 1000
const MAX_CHARACTERS = 400_000
const NONE: Counts = { read: 0, created: 0, updated: 0, existing: 0, rejected: 0 }

export function newImportId(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Sends the records of a file in batches; each record is stored completely or not at all.
 * @param onProgress called with the results so far
 * @throws Problem; an AbortError, after which sent records stay
 */
export async function sendRecords(
  one: Import,
  records: AsyncIterable<FileRecord>,
  onProgress: (counts: Counts) => void,
  signal: AbortSignal,
): Promise<void> {
  const { appId, importId, className, file, onConflict } = one
  const params = { appId, importId }
  await request('PUT', '/admin/apps/{appId}/imports/{importId}', {
    params,
    body: { source: file, again: true },
    signal,
  })
  let sums = NONE
  let from = { entry: 0, record: 0 }
  let items: FileRecord[] = []
  let characters = 0
  const send = async () => {
    const to = { entry: 0, record: from.record + items.length }
    const body: Bodies['POST /admin/apps/{appId}/imports/{importId}/batches'] = {
      of: { kind: 'objects', className },
      file,
      from,
      to,
      onConflict,
      dryRun: false,
      items: items.map(asItem),
    }
    const answer = await request('POST', '/admin/apps/{appId}/imports/{importId}/batches', { params, body, signal })
    if ('misplaced' in answer) throw new Error('The server has received another batch of this import.')
    const { counts } = answer
    sums = Object.fromEntries(
      Object.entries(sums).map(([name, count]) => [name, count + counts[name as keyof Counts]]),
    ) as unknown as Counts
    onProgress(sums)
    from = to
    items = []
    characters = 0
  }
  for await (const record of records) {
    items.push(record)
    characters += record.text.length
    if (items.length >= MAX_RECORDS || characters >= MAX_CHARACTERS) await send()
  }
  if (items.length > 0) await send()
  await request('POST', '/admin/apps/{appId}/imports/{importId}/end', { params, body: {}, signal })
  await request('POST', '/admin/apps/{appId}/imports/finish', {
    params: { appId },
    body: { classes: [className] },
    signal,
  })
}

/** Converts a record to an item of a batch, with its reason as a notice (`src/notices`): a code with values. */
function asItem({ reason, ...record }: FileRecord) {
  return reason === undefined ? record : { ...record, reason: { code: 'text', text: reason } }
}

/** Yields the rejected records as a file with reasons; once corrected, `homeport import` accepts it. */
export async function* rejectedLines({ appId, importId }: Pick<Import, 'appId' | 'importId'>): AsyncGenerator<string> {
  const { inEnglish } = await import('../../../../../src/notices/in-english.ts')
  yield '#filetype:JSON-streaming {"type":"Rejected"}\n'
  let after = 0
  for (;;) {
    const page = await request('GET', '/admin/apps/{appId}/imports/{importId}/rejected', {
      params: { appId, importId },
      query: { after },
    })
    if (page.rejected.length === 0) return
    yield page.rejected
      .map(
        ({ className, place, reason, text }) =>
          `${JSON.stringify({ className, place, reason: inEnglish(reason as Notice | string), text })}\n`,
      )
      .join('')
    after = page.last
  }
}
