import { path, request } from '../../../api/request.ts'
import type { FileRecord } from './rows.ts'

export const ON_CONFLICT = ['skip', 'overwrite', 'newer'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** What became of records, as the imports of the management API count. */
export interface Counts {
  readonly read: number
  readonly created: number
  readonly updated: number
  readonly existing: number
  readonly rejected: number
}

export interface Import {
  readonly appId: string
  readonly importId: string
  readonly className: string
  /** Of the file, for people */
  readonly file: string
  readonly onConflict: OnConflict
}

const MOST_RECORDS = 1000
const MOST_CHARACTERS = 400_000
const NONE: Counts = { read: 0, created: 0, updated: 0, existing: 0, rejected: 0 }

export function newImportId(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function importPath({ appId, importId }: Pick<Import, 'appId' | 'importId'>): string {
  return path`/admin/apps/${appId}/imports/${importId}`
}

/**
 * Sends the records of a file, batch by batch; each is stored as a whole or not at all.
 * @param told called with what has become of those that were sent
 * @throws Problem; an AbortError, after which what was sent stays
 */
export async function sendRecords(
  one: Import,
  records: AsyncIterable<FileRecord>,
  told: (counts: Counts) => void,
  signal: AbortSignal,
): Promise<void> {
  const { appId, className, file, onConflict } = one
  await request('PUT', importPath(one), { body: { source: file, again: true }, signal })
  let sums = NONE
  let from = { entry: 0, record: 0 }
  let items: FileRecord[] = []
  let characters = 0
  const send = async () => {
    const to = { entry: 0, record: from.record + items.length }
    const body = { of: { kind: 'objects', className }, file, from, to, onConflict, dryRun: false, items }
    const { counts } = await request<{ counts: Counts }>('POST', `${importPath(one)}/batches`, { body, signal })
    sums = Object.fromEntries(
      Object.entries(sums).map(([name, count]) => [name, count + counts[name as keyof Counts]]),
    ) as unknown as Counts
    told(sums)
    from = to
    items = []
    characters = 0
  }
  for await (const record of records) {
    items.push(record)
    characters += record.text.length
    if (items.length >= MOST_RECORDS || characters >= MOST_CHARACTERS) await send()
  }
  if (items.length > 0) await send()
  await request('POST', `${importPath(one)}/end`, { body: {}, signal })
  await request('POST', path`/admin/apps/${appId}/imports/finish`, { body: { classes: [className] }, signal })
}

interface Rejected {
  readonly className: string
  readonly place: string
  readonly reason: string
  readonly text: string
}

/** What was not taken, as a file that says why; when it is corrected, `homeport import` takes it. */
export async function* rejectedLines(one: Pick<Import, 'appId' | 'importId'>): AsyncGenerator<string> {
  yield '#filetype:JSON-streaming {"type":"Rejected"}\n'
  let after = 0
  for (;;) {
    const page = await request<{ rejected: Rejected[]; last: number }>('GET', `${importPath(one)}/rejected`, {
      query: { after },
    })
    if (page.rejected.length === 0) return
    yield page.rejected
      .map(({ className, place, reason, text }) => `${JSON.stringify({ className, place, reason, text })}\n`)
      .join('')
    after = page.last
  }
}
