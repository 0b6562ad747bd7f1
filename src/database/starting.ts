import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { isStarting } from './faults.ts'

/** Milliseconds. After a power cut both programs start together, and the database has to recover from a crash. */
const TIMEOUT_MS = 60_000
const PAUSE = 200

/**
 * Runs work as soon as the database accepts connections, and retries while it reports that it is starting. Any other failure is
 * not retried: the address may be wrong.
 * @param timeoutMs milliseconds
 * @throws what `work` throws
 */
export async function whenStarted<Result>(
  work: () => Promise<Result>,
  log: Pick<Log, 'warn'>,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs
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
