import { date, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { raw, sql } from '../database/sql.ts'
import { fileUrl } from '../files/file-url.ts'
import { FILE } from '../files/files.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { JsonObject } from '../values/json.ts'
import { findBoard, shownDate } from './board.ts'
import type { Ranking } from './leaderboard-tables.ts'
import type { Leaderboards } from './leaderboards.ts'

export const ARCHIVE_JOB = 'leaderboard-archive'

export const ARCHIVE_FIELDS = raw(
  'id, board, version, status, file_key, file_id, activated_at, deactivated_at, created_at, updated_at',
)

/** Maximum archives of a board. A new one replaces the oldest. */
export const MAX_ARCHIVES = 60

/** The version that a job archives. */
export interface ArchiveJob extends Ranking {
  readonly appId: string
}

export async function archiveLater(
  { appId, jobs }: Leaderboards,
  transaction: Executor,
  { board, version }: Ranking,
): Promise<void> {
  const job: ArchiveJob = { appId, board, version }
  await jobs.enqueue(ARCHIVE_JOB, job, { transaction })
}

/**
 * Lists the archives of a board, newest first (protocol/social, Leaderboards).
 * @param external base URL of files for callers without a request
 * @throws ApiError 2100
 */
export async function listArchives(
  leaderboards: Leaderboards,
  name: string,
  { limit, skip }: { readonly limit: number; readonly skip: number },
  caller: Caller,
  external: string,
): Promise<JsonObject[]> {
  const { database, tables, files, appId } = leaderboards
  const { board } = await findBoard(leaderboards, name)
  const rows = await database.query(
    sql`
      SELECT ${ARCHIVE_FIELDS} FROM ${tables.archives}
      WHERE board = ${board}
      ORDER BY version DESC
      LIMIT ${Math.min(limit, MAX_ARCHIVES)} OFFSET ${skip}`,
    caller.origin?.principal,
  )
  return rows.map(decodeArchive).map(({ id, version, status, fileKey, activatedAt, deactivatedAt, ...dates }) => ({
    objectId: id,
    statisticName: name,
    version,
    status,
    ...(status === 'completed' && {
      url: fileUrl(files.hosts(), appId, fileKey, caller, external),
      file_key: fileKey,
    }),
    activatedAt: shownDate(activatedAt),
    deactivatedAt: shownDate(deactivatedAt),
    ...dates,
  }))
}

const decodeArchive = rowDecoder({
  id: text('id'),
  version: number('version'),
  status: text('status'),
  fileKey: text('file_key'),
  activatedAt: date('activated_at'),
  deactivatedAt: date('deactivated_at'),
  createdAt: date('created_at'),
  updatedAt: date('updated_at'),
})

/** Deletes archives with their files. The sweep deletes the bytes of a file after its record. */
export async function deleteArchives(
  { tables, objects }: Leaderboards,
  transaction: Executor,
  archives: readonly Row[],
): Promise<void> {
  const ids = archives.map(text('id'))
  const files = archives.map(text('file_id'))
  const { table } = objects.classes.get(FILE)!
  await transaction.query(sql`DELETE FROM ${tables.archives} WHERE id = ANY(${ids}::text[])`)
  await transaction.query(sql`DELETE FROM ${table} WHERE id = ANY(${files}::text[])`)
}
