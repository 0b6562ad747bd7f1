import { rowDecoder, text } from '../database/decode-row.ts'
import { sql } from '../database/sql.ts'
import { FILE } from '../files/files.ts'
import { takeBytes } from '../files/take-bytes.ts'
import { MASTER } from '../objects/access/caller.ts'
import { createObject } from '../objects/writing/create.ts'
import { ARCHIVE_FIELDS, deleteArchives, MAX_ARCHIVES } from './archives.ts'
import { BOARD_COLUMNS, type Board, boardOf } from './board.ts'
import { clearLater } from './clear.ts'
import type { Ranking } from './leaderboard-tables.ts'
import type { Leaderboards } from './leaderboards.ts'
import { kindOf } from './members.ts'
import { writersHaveEnded } from './writers-have-ended.ts'

const MIME_TYPE = 'text/csv'

/** Members read at once. */
const PAGE = 5000

/**
 * Writes the ranking of an ended version to a file (docs/leaderboards.md, Archives). After a crash it writes the same content
 * again under the same key.
 */
export async function writeArchive(leaderboards: Leaderboards, ranking: Ranking, signal: AbortSignal): Promise<void> {
  const { database, tables, files, objects } = leaderboards
  const [archive] = await database.query(sql`
    UPDATE ${tables.archives} SET status = 'inProgress', updated_at = now()
    WHERE board = ${ranking.board} AND version = ${ranking.version} AND status <> 'completed'
    RETURNING ${ARCHIVE_FIELDS}, ended_by::text AS ended_by`)
  const [row] = await database.query(sql`SELECT ${BOARD_COLUMNS} FROM ${tables.boards} WHERE board = ${ranking.board}`)
  // The board was deleted.
  if (!archive || !row) return
  const board = boardOf(row)
  const { id, key, fileId, endedBy } = decodeArchive(archive)
  await writersHaveEnded(leaderboards, endedBy, signal)
  const name = `${board.name}-${ranking.version}.csv`
  const about = { key, name, mimeType: MIME_TYPE, size: null, md5: null }
  await takeBytes(files, about, linesOf(leaderboards, board, ranking), signal)
  await database.transaction(async (transaction) => {
    const done = await transaction.query(sql`
      UPDATE ${tables.archives} SET status = 'completed', updated_at = now()
      WHERE id = ${id} AND status <> 'completed'
      RETURNING id`)
    // Deleted meanwhile: the sweep deletes bytes without a record.
    if (done.length === 0) return
    const record = { name, key, mime_type: MIME_TYPE, bucket: 'homeport', provider: 'homeport', ACL: {} }
    await createObject(objects, FILE, record, MASTER, { id: fileId, transaction })
    const old = await transaction.query(sql`
      SELECT ${ARCHIVE_FIELDS} FROM ${tables.archives}
      WHERE board = ${ranking.board} ORDER BY version DESC OFFSET ${MAX_ARCHIVES}`)
    if (old.length > 0) {
      await deleteArchives(leaderboards, transaction, old)
      transaction.afterCommit(() => files.loosened())
    }
    // The previous version can still be queried; earlier ones exist only in their archives.
    await clearLater(leaderboards, transaction, ranking.board, ranking.version - 1)
  })
}

const decodeArchive = rowDecoder({
  id: text('id'),
  key: text('file_key'),
  fileId: text('file_id'),
  endedBy: text('ended_by'),
})

/** Marks an archive as failed. The statistics of the version are kept. */
export async function archiveFailed({ database, tables }: Leaderboards, { board, version }: Ranking): Promise<void> {
  await database.query(sql`
    UPDATE ${tables.archives} SET status = 'failed', updated_at = now()
    WHERE board = ${board} AND version = ${version} AND status <> 'completed'`)
}

const [memberOf, scoreOf] = [text('member'), text('value')]

/** Yields the lines of the file, one page of the ranking at a time. */
async function* linesOf(
  { database, tables }: Leaderboards,
  { name, order, memberType }: Board,
  { board, version }: Ranking,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`rank,statisticName,statisticValue,${kindOf(memberType)}\n`)
  const direction = order === 'ascending' ? 1 : -1
  let position = sql`('-infinity'::float8, 0::bigint)`
  for (let rank = 0; ; ) {
    const rows = await database.query(sql`
      SELECT member, score::text AS from_score, (score * ${direction}::float8 + 0)::text AS value, reached::text AS from_reached
      FROM ${tables.statistics}
      WHERE board = ${board} AND version = ${version} AND (score, reached) > ${position}
      ORDER BY score, reached
      LIMIT ${PAGE}`)
    if (rows.length > 0)
      yield Buffer.from(rows.map((row) => `${rank++},${name},${scoreOf(row)},${quoted(memberOf(row))}\n`).join(''))
    if (rows.length < PAGE) return
    const last = rows.at(-1)!
    position = sql`(${text('from_score')(last)}::float8, ${text('from_reached')(last)}::bigint)`
  }
}

/**
 * Formats a text as a CSV field (RFC 4180), unchanged, for programs. Separators of spreadsheets in other locales are quoted too.
 */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
