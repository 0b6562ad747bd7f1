import type pg from 'pg'
import { identifier, sql, toQuery } from '../../database/sql.ts'
import type { Leaderboards } from '../../leaderboards/leaderboards.ts'
import { batches } from '../rows.ts'
import type { Section } from './section.ts'

interface KeyedLine {
  readonly line: string
  readonly key: string
}

interface VersionRow {
  readonly board: number
  readonly version: number
  readonly name: string
  readonly member_type: string
  readonly direction: number
}

/** Returns the sections of leaderboards with their archives, and the values of the versions that still have them. */
export async function leaderboardSections({ tables }: Leaderboards, client: pg.Client): Promise<Section[]> {
  // Each ranking has exactly one such row. Versions that only have an archive may still have values that await deletion.
  const { text, values } = toQuery(sql`
    SELECT bucket.board, bucket.version, name, member_type, direction
    FROM ${tables.rankBuckets} AS bucket
    JOIN ${tables.boards} AS board USING (board)
    WHERE level = 1 AND score = '-infinity' AND (
      bucket.version >= board.version - 1
      OR EXISTS (
        SELECT FROM ${tables.archives} AS archive
        WHERE archive.board = bucket.board AND archive.version = bucket.version AND status <> 'completed'
      )
    )`)
  const { rows } = await client.query<VersionRow>(text, values)
  return [boardSection({ tables }, client), ...rows.map((row) => valueSection({ tables }, client, row))]
}

function boardSection({ tables }: Pick<Leaderboards, 'tables'>, client: pg.Client): Section {
  const date = (
    column: 'activated_at' | 'deactivated_at' | 'created_at' | 'updated_at' | 'expired_at',
    of: 'board' | 'archive',
  ) => sql`to_char(${identifier(of, column)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return {
    name: '5 leaderboards',
    fileOf: (part) => `leaderboard-boards.${part}.jsonl`,
    comment: { type: 'Leaderboards' },
    optional: true,
    async *records(after) {
      const statement = sql`
        SELECT name AS key, json_build_object(
          'objectId', id, 'statisticName', name, 'memberType', member_type,
          'order', CASE direction WHEN 1 THEN 'ascending' ELSE 'descending' END, 'updateStrategy', update_strategy,
          'versionChangeInterval', change_interval, 'version', version, 'activatedAt', ${date('activated_at', 'board')},
          'expiredAt', ${date('expired_at', 'board')}, 'createdAt', ${date('created_at', 'board')},
          'updatedAt', ${date('updated_at', 'board')}, 'archives', (
            SELECT coalesce(json_agg(json_build_object(
              'objectId', id, 'version', version, 'status', status, 'file_key', file_key, 'file_id', file_id,
              'activatedAt', ${date('activated_at', 'archive')}, 'deactivatedAt', ${date('deactivated_at', 'archive')},
              'createdAt', ${date('created_at', 'archive')}, 'updatedAt', ${date('updated_at', 'archive')}
            )), '[]')
            FROM ${tables.archives} AS archive
            WHERE archive.board = board.board
          )
        )::text AS line
        FROM ${tables.boards} AS board
        WHERE ${after ? sql`name > ${after[0]!}` : sql`TRUE`}
        ORDER BY name`
      for await (const rows of batches<KeyedLine>(client, statement))
        yield { text: rows.map(({ line }) => `${line}\n`).join(''), last: [rows.at(-1)!.key] }
    },
  }
}

/**
 * Returns the values of a version in rank order. Among equal values the one reached first is first, so a reader in this order
 * keeps the ranks. An interrupted export restarts the ranking, because ranks change meanwhile.
 */
function valueSection(
  { tables }: Pick<Leaderboards, 'tables'>,
  client: pg.Client,
  { board, version, name, member_type, direction }: VersionRow,
): Section {
  return {
    name: `6 ${board} ${version}`,
    fileOf: (part) => `leaderboard-values.${board}.${version}.${String(part).padStart(5, '0')}.jsonl`,
    comment: { type: 'Statistics', board: name, version, memberType: member_type },
    optional: true,
    async *records() {
      const statement = sql`
        SELECT member AS key, json_build_object('member', member, 'value', score * ${direction}::float8 + 0)::text AS line
        FROM ${tables.statistics}
        WHERE board = ${board}::integer AND version = ${version}::integer
        ORDER BY score, reached`
      for await (const rows of batches<KeyedLine>(client, statement))
        yield { text: rows.map(({ line }) => `${line}\n`).join(''), last: [rows.at(-1)!.key] }
    },
  }
}
