import { contentOfHeader, isHeader, recordBeforeHeader } from '../../../../../src/import/forms/header-line.ts'
import type { Encoding } from '../../../../../src/import/sources/detect-encoding.ts'
import { textStream } from './file-text.ts'
import { recordOfRejected } from './rejected-lines.ts'
import type { FileRecord } from './rows.ts'

/** How the lines after a header are read. */
type Section =
  /** Objects of the class, or records that an import rejected. */
  | { readonly kind: 'objects' | 'rejected' }
  /** Other content, which is skipped: its objects may have values that must not be readable in this class. */
  | { readonly kind: 'other'; readonly at: number; readonly header: string; readonly content: string; count: number }

/**
 * Yields the objects of a class from the lines of an export, without empty lines and comments. A file can have several headers, if
 * it consists of several exports; one of other content yields a record that names it, with a reason.
 */
export async function* linesOf(file: File, encoding: Encoding, className: string): AsyncGenerator<FileRecord> {
  let section: Section = { kind: 'objects' }
  let at = 0
  for await (const line of textLines(file, encoding)) {
    at++
    const text = line.replace(/^\ufeff+/, '').trim()
    const joined = recordBeforeHeader(text, isJson)
    const header = joined?.header ?? (isHeader(text) ? text : null)
    const content = joined ? joined.record : header === null && !text.startsWith('#') ? text : ''
    if (content !== '') {
      if (section.kind === 'other') section.count++
      else yield section.kind === 'rejected' ? recordOfRejected(at, content, className) : { at, text: content }
    }
    if (header === null) continue
    if (section.kind === 'other') yield skipped(section, className)
    section = sectionOf(at, header, className)
  }
  if (section.kind === 'other') yield skipped(section, className)
}

function sectionOf(at: number, header: string, className: string): Section {
  const { type, class: named } = parsed(contentOfHeader(header) ?? '')
  if (type === 'Rejected') return { kind: 'rejected' }
  if (type === 'Class' && named === className) return { kind: 'objects' }
  const content = typeof named === 'string' ? named : String(type ?? 'unknown content')
  return { kind: 'other', at, header, content, count: 0 }
}

function skipped({ at, header, content, count }: Extract<Section, { kind: 'other' }>, className: string): FileRecord {
  const reason = `The header names ${content.slice(0, 200)}, not ${className}; the ${count} lines after it were not imported.`
  return { at, text: header.slice(0, 2000), reason }
}

async function* textLines(file: File, encoding: Encoding): AsyncGenerator<string> {
  const reader = textStream(file, encoding).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value = '' } = await reader.read()
      const parts = (rest + value).split('\n')
      rest = done ? '' : parts.pop()!
      yield* parts
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsed(json: string): { readonly type?: unknown; readonly class?: unknown } {
  return isJson(json) ? ((JSON.parse(json) ?? {}) as object) : {}
}
