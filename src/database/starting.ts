import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { isStarting } from './faults.ts'

/** Milliseconds. After a power cut both start again, and the database has a crash to recover from. */
const PATIENCE = 60_000
const PAUSE = 200

/**
 * Does what needs the database, as soon as that takes connections: one that says that it is starting is waited for. One that
 * says nothing, or anything else, is not: its address may be wrong.
 * @param patience milliseconds
 * @throws what `work` throws
 */
export async function whenStarted<Result>(
  work: () => Promise<Result>,
  log: Pick<Log, 'warn'>,
  patience = PATIENCE,
): Promise<Result> {
  const deadline = performance.now() + patience
  for (let hasWarned = false; ; hasWarned = true) {
    try {
      return await work()
    } catch (error) {
      if (!isStarting(error) || performance.now() > deadline) throw error
      if (!hasWarned) log.warn({}, 'database is starting, waiting')
      await sleep(PAUSE)
    }
  }
}
