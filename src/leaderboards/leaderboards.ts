import type { Database } from '../database/pool.ts'
import type { Files } from '../files/files.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { LeaderboardSettings } from './leaderboard-settings.ts'
import { type LeaderboardTables, leaderboardTables } from './leaderboard-tables.ts'
import { RankCounts } from './rank-counts.ts'

/** The leaderboards of one app: the context of all functions in this folder. */
export interface Leaderboards {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly files: Files
  readonly jobs: Jobs
  readonly tables: LeaderboardTables
  readonly counts: RankCounts
  settings(): LeaderboardSettings
}

export interface LeaderboardParts {
  readonly database: Database
  readonly objects: ObjectStore
  readonly files: Files
  readonly jobs: Jobs
  readonly log: Log
  settings(): LeaderboardSettings
}

/** Builds the leaderboards of an app. */
export function openLeaderboards(parts: LeaderboardParts, schema: string): Leaderboards {
  const { database, objects, files, jobs, log, settings } = parts
  const tables = leaderboardTables(schema)
  const counts = new RankCounts(database, tables, log)
  return { appId: objects.appId, database, objects, files, jobs, tables, counts, settings }
}
