import { downloadName } from '../../../../../src/files/download-name.ts'
import type { ClassDescription } from '../../../api/classes.ts'
import { request } from '../../../api/request.ts'
import type { RowPage } from '../../data/data-queries.ts'
import { columnsOf } from './columns.ts'
import { csvHead, csvLine, sheetHead, sheetLine } from './write-csv.ts'

export const FORMATS = ['csv', 'sheet', 'jsonl', 'json'] as const
export type Format = (typeof FORMATS)[number]

export const MIME_TYPES: { readonly [format in Format]: string } = {
  csv: 'text/csv',
  sheet: 'text/csv',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
}

/** Returns the file extension of a format. */
export function endingOf(format: Format): string {
  return format === 'sheet' ? 'csv' : format
}

/** The exported objects of a class, and their order. */
export interface Taken {
  readonly appId: string
  readonly description: ClassDescription
  readonly where: { readonly [key: string]: unknown } | undefined
  readonly order: string
}

const PAGE = 500

/**
 * Yields objects as pieces of a file, page by page. Each page starts after the last object of the previous one.
 * @param onProgress called with the number of objects so far
 * @throws Problem; an AbortError
 */
export async function* exportObjects(
  { appId, description, where, order }: Taken,
  format: Format,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const columns = columnsOf(description)
  let count = 0
  let after: string | undefined
  if (format === 'csv') yield csvHead(columns)
  if (format === 'sheet') yield sheetHead(columns)
  if (format === 'json') yield '['
  for (;;) {
    const page: RowPage = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
      params: { appId, className: description.className },
      body: { order, limit: PAGE, ...(where && { where }), ...(after !== undefined && { after }) },
      signal,
    })
    const line = format === 'csv' ? csvLine : format === 'sheet' ? sheetLine : null
    const texts = page.results.map((object) => line?.(columns, object) ?? JSON.stringify(object))
    if (line) yield texts.join('')
    else if (format === 'jsonl') yield texts.map((text) => `${text}\n`).join('')
    else if (texts.length > 0) yield (count === 0 ? '\n' : ',\n') + texts.join(',\n')
    count += texts.length
    onProgress(count)
    if (page.next === null) break
    after = page.next
  }
  if (format === 'json') yield '\n]\n'
}

/**
 * Collects pieces of a file outside of script memory: browsers store large ones on disk.
 * @returns the whole file
 */
export async function gather(pieces: AsyncIterable<string>, type: string): Promise<Blob> {
  const blobs: Blob[] = []
  for await (const piece of pieces) blobs.push(new Blob([piece]))
  return new Blob(blobs, { type })
}

/** Lets the browser save a file. Its type is never one that runs scripts: a blob has the console's origin. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = downloadName(name)
  link.click()
  // The browser has started to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
