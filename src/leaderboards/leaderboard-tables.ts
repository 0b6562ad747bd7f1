import { identifier, type Sql } from '../database/sql.ts'

/** Tables of an app for its leaderboards. */
export interface LeaderboardTables {
  readonly boards: Sql
  /** The value of each member, in the current version and in earlier ones. */
  readonly statistics: Sql
  /** Name of the sequence that numbers the order in which values are reached. */
  readonly reached: string
  readonly rankBuckets: Sql
  readonly changes: Sql
  readonly archives: Sql
}

export function leaderboardTables(schema: string): LeaderboardTables {
  return {
    boards: identifier(schema, '$leaderboards'),
    statistics: identifier(schema, '$statistics'),
    reached: `"${schema}"."$statistics_reached"`,
    rankBuckets: identifier(schema, '$rank_fences'),
    changes: identifier(schema, '$rank_changes'),
    archives: identifier(schema, '$leaderboard_archives'),
  }
}

/** The ranking of one version of a board. */
export interface Ranking {
  readonly board: number
  readonly version: number
}
