import { boolean, entry, number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { type ExportedStatistic, parseExportedStatistic } from '../../leaderboards/import-statistics.ts'
import { notice } from '../../notices/notice.ts'
import type { Kind } from '../batch.ts'
import type { Comparison, Found, Remark } from './comparison.ts'
import type { VerifyApp } from './verify-app.ts'

const IN_AN_ARCHIVE: Remark = {
  what: 'same',
  notes: [notice('versionArchived')],
}

/**
 * Compares values of a version of a leaderboard. Whether a different value is worse depends on the rules of its board.
 */
export function valueComparison(
  { leaderboards: { database, tables } }: VerifyApp,
  { className: memberType, board, version }: Extract<Kind, { kind: 'statistics' }>,
): Comparison<ExportedStatistic> {
  return {
    read: (text) => parseExportedStatistic(memberType, text),
    // Members that joined the board here are not reported, because games continue after the move.
    keysOf: ({ member }) => [member],
    isCompared: () => true,
    async compare(values) {
      const [here] = await database.query(sql`
        SELECT ${version}::integer >= version - 1 OR EXISTS (
          SELECT FROM ${tables.archives} AS archive
          WHERE archive.board = board.board AND archive.version = ${version}::integer AND status <> 'completed'
        ) AS has_values
        FROM ${tables.boards} AS board
        WHERE name = ${board} AND member_type = ${memberType}`)
      if (here && !boolean('has_values')(here)) return values.map(() => IN_AN_ARCHIVE)
      const rows = await database.query(sql`
        SELECT member, score * direction + 0 AS value
        FROM ${tables.statistics} AS stored JOIN ${tables.boards} AS board USING (board)
        WHERE name = ${board} AND member_type = ${memberType} AND stored.version = ${version}::integer
          AND member = ANY(${values.map(({ member }) => member)}::text[])`)
      const stored = new Map(rows.map(entry(text('member'), number('value'))))
      return values.map(({ member, value }): Found | null => {
        const present = stored.get(member)
        if (present === value) return null
        const found = { id: member, changedThere: null, changedHere: null }
        if (present === undefined) return { ...found, what: 'missing', fields: [] }
        return {
          ...found,
          what: 'different',
          fields: [{ field: 'value', there: String(value), here: String(present) }],
        }
      })
    },
  }
}
