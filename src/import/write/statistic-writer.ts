import type { Executor } from '../../database/pool.ts'
import { hasBoard, importStatistics, parseExportedStatistic } from '../../leaderboards/import-statistics.ts'
import { notice } from '../../notices/notice.ts'
import type { Batch } from '../batch.ts'
import type { ImportApp } from './import-app.ts'
import { type Outcome, readItems } from './read-items.ts'

/** Reads a batch of values of a leaderboard. @returns a function that writes it in a transaction */
export async function statisticWriter({ leaderboards }: ImportApp, { of, items, onConflict, strict, dryRun }: Batch) {
  if (of.kind !== 'statistics') throw new Error('not a batch of statistics')
  const { read, refused, notes } = await readItems(
    items,
    (text) => parseExportedStatistic(of.className, text),
    strict ? 'strict' : 'repaired',
  )
  const board = { name: of.board, memberType: of.className, version: of.version }
  return async (transaction: Executor): Promise<Outcome> => {
    const given = read.map(({ value }) => value)
    const written = await importStatistics(transaction, leaderboards, board, given, onConflict !== 'skip')
    if (!written) {
      // The leaderboards that a dry run created are already rolled back.
      if (dryRun && !(await hasBoard(transaction, leaderboards, of.board)))
        return { counts: { created: read.length, updated: 0, existing: 0 }, refused, notes }
      const reason = notice('leaderboardVersionMissing', {
        name: of.board,
        memberType: of.className,
        version: of.version,
      })
      return {
        counts: { created: 0, updated: 0, existing: 0 },
        refused: [...refused, ...read.map(({ item }) => ({ item, reason }))],
        notes: [],
      }
    }
    const created = written.filter(({ isNew }) => isNew).length
    const counts = { created, updated: written.length - created, existing: read.length - written.length }
    return { counts, refused, notes }
  }
}
