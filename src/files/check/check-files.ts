import { createHash } from 'node:crypto'
import { boolean, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { BlobMissing, type ListedBlob } from '../blobs/blob-store.ts'
import { FILE, type Files } from '../files.ts'
import { removeOrphanedBlobs } from '../orphaned-blobs.ts'
import { findStored } from '../stored-files.ts'
import { deleteOldUploads } from '../uploads/upload-table.ts'
import { deleteOrphanedRows, orphanedRows } from './orphaned-rows.ts'

/** The steps of a check, in order. `sweep` runs only with `repair`. */
export const CHECK_STEPS = ['sweep', 'records', 'rows', 'blobs'] as const

/**
 * Position of a check. `after` is an object id, a file key or a prefix of blob names, depending on the step; null: the beginning.
 */
export interface CheckPosition {
  readonly step: (typeof CHECK_STEPS)[number]
  readonly after: string | null
}

export interface CheckOptions {
  /** Whether to read all bytes and compare their MD5. */
  readonly checksums: boolean
  /** Whether to delete unreferenced rows and blobs. */
  readonly repair: boolean
}

/** An inconsistency that the check found. */
export interface Finding {
  readonly kind:
    | 'record without bytes'
    | 'bytes without record'
    | 'bytes that nothing knows'
    | 'bytes missing'
    | 'bytes of another size'
    | 'bytes of another checksum'
  readonly objectId?: string
  readonly key?: string
  readonly blob?: string
  readonly removed?: true
}

export interface CheckedPage {
  readonly findings: readonly Finding[]
  /** Files checked in this page. Each file is counted in one page only. */
  readonly files: number
  /** null: the check is complete. */
  readonly next: CheckPosition | null
}

/** Rows per page; milliseconds and bytes after which a page ends early. */
const PAGE = 1000
const PAGE_TIME = 5000
const PAGE_BYTES = 256 * 1024 * 1024

/** Blobs looked up by one statement. */
const BLOBS_AT_ONCE = 500

const DAY = 24 * 3_600_000

/** The prefixes of blob names. A page ends between two of them. */
const BEGINNINGS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'))

/**
 * Compares file records, file rows and blobs, one page at a time, in constant memory. Skips entries younger than a day, which may
 * be in progress.
 * @throws ApiError 503 when the store is unreachable
 */
export async function checkFiles(
  files: Files,
  { step, after }: CheckPosition,
  options: CheckOptions,
): Promise<CheckedPage> {
  switch (step) {
    case 'sweep':
      if (options.repair) await sweep(files)
      return { findings: [], files: 0, next: { step: 'records', after: null } }
    case 'records':
      return checkRecords(files, after ?? '')
    case 'rows':
      return checkRows(files, after ?? '', options)
    case 'blobs':
      return checkBlobs(files, after ?? '', options)
  }
}

/** Runs the hourly sweep immediately. */
async function sweep(files: Files): Promise<void> {
  await deleteOldUploads(files)
  await removeOrphanedBlobs(files)
  await files.blobs.sweep(DAY, files.appId)
}

async function checkRecords({ objects, tables, database }: Files, after: string): Promise<CheckedPage> {
  const { table } = objects.classes.get(FILE)!
  const rows = await database.query(sql`
    SELECT id, data->>'key' AS key, EXISTS (SELECT FROM ${tables.files} WHERE key = data->>'key') AS whole
    FROM ${table}
    WHERE id > ${after} AND data ? 'key' AND NOT data ? 'url'
    ORDER BY id
    LIMIT ${PAGE}`)
  const findings = rows
    .filter((row) => !boolean('whole')(row))
    .map((row): Finding => ({ kind: 'record without bytes', ...decodeRecord(row) }))
  const last = rows.length === PAGE ? text('id')(rows.at(-1)!) : null
  return { findings, files: 0, next: last === null ? { step: 'rows', after: null } : { step: 'records', after: last } }
}

const decodeRecord = rowDecoder({ objectId: text('id'), key: text('key') })

const decodeBytes = rowDecoder({ key: text('key'), blob: text('blob'), size: number('size'), md5: text('md5') })

async function checkRows(files: Files, after: string, { checksums, repair }: CheckOptions): Promise<CheckedPage> {
  const { database, tables, blobs, appId } = files
  const rows = await database.query(sql`
    SELECT key, blob, size, md5 FROM ${tables.files} WHERE key > ${after} ORDER BY key LIMIT ${PAGE}`)
  const findings: Finding[] = []
  const started = performance.now()
  let bytes = 0
  let looked = 0
  for (const { key, blob, size, md5 } of rows.map(decodeBytes)) {
    if (performance.now() - started > PAGE_TIME || bytes > PAGE_BYTES) break
    looked++
    const of = { key, blob }
    const there = await blobs.stat(appId, of.blob)
    let kind: Finding['kind'] | null = null
    if (!there) kind = 'bytes missing'
    else if (there.size !== size) kind = 'bytes of another size'
    else if (checksums && md5 !== '') {
      bytes += there.size
      if ((await md5Of(files, of.blob)) !== md5) kind = 'bytes of another checksum'
    }
    // The file may have been deleted or replaced since the page was read.
    if (kind && (await findStored(files, of.key))?.blob === of.blob) findings.push({ kind, ...of })
  }
  const done = rows.slice(0, looked)
  const last = done.at(-1)
  const range = { after, upTo: last ? text('key')(last) : after }
  const orphaned = repair ? await deleteOrphanedRows(files, range) : await orphanedRows(files, range)
  for (const key of orphaned) findings.push({ kind: 'bytes without record', key, ...(repair && { removed: true }) })
  const isLast = looked === rows.length && rows.length < PAGE
  const next: CheckPosition = isLast ? { step: 'blobs', after: null } : { step: 'rows', after: range.upTo }
  return { findings, files: looked, next }
}

async function md5Of({ blobs, appId }: Files, blob: string): Promise<string | null> {
  const hash = createHash('md5')
  try {
    for await (const chunk of await blobs.read(appId, blob)) hash.update(chunk as Buffer)
  } catch (error) {
    if (error instanceof BlobMissing) return null
    throw error
  }
  return hash.digest('hex')
}

async function checkBlobs(files: Files, after: string, { repair }: CheckOptions): Promise<CheckedPage> {
  const { blobs, appId } = files
  const findings: Finding[] = []
  const before = Date.now() - DAY
  const started = performance.now()
  for (const beginning of BEGINNINGS.filter((one) => one > after)) {
    if (performance.now() - started > PAGE_TIME || findings.length > PAGE)
      return { findings, files: 0, next: { step: 'blobs', after: lastBefore(beginning) } }
    for await (const old of inLots(blobs.list(appId, beginning), ({ modifiedAt }) => modifiedAt.getTime() < before))
      for (const blob of await unknownOf(files, old)) {
        if (repair) await blobs.remove(appId, blob)
        findings.push({ kind: 'bytes that nothing knows', blob, ...(repair && { removed: true }) })
      }
  }
  return { findings, files: 0, next: null }
}

function lastBefore(beginning: string): string {
  return BEGINNINGS[BEGINNINGS.indexOf(beginning) - 1]!
}

/** Groups the names of matching blobs into batches. */
async function* inLots(
  listed: AsyncIterable<ListedBlob>,
  fits: (blob: ListedBlob) => boolean,
): AsyncGenerator<string[], void, undefined> {
  let lot: string[] = []
  for await (const found of listed) {
    if (fits(found)) lot.push(found.blob)
    if (lot.length < BLOBS_AT_ONCE) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}

/**
 * Returns the unreferenced blobs among `names`. None of them can come into use later, because every blob has a row before its
 * first byte is written.
 */
async function unknownOf({ database, tables }: Files, names: readonly string[]): Promise<string[]> {
  const rows = await database.query(sql`
    SELECT blob
    FROM unnest(${names}::text[]) AS blob
    WHERE NOT EXISTS (SELECT FROM ${tables.files} AS known WHERE known.blob = blob.blob)
      AND NOT EXISTS (SELECT FROM ${tables.orphanedBlobs} AS known WHERE known.blob = blob.blob)
      AND NOT EXISTS (SELECT FROM ${tables.parts} AS known WHERE known.blob = blob.blob)`)
  return rows.map(text('blob'))
}
