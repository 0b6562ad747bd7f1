import { sql } from '../../database/sql.ts'
import { ApiError } from '../../errors.ts'
import type { Handler, Jobs } from '../../jobs/jobs.ts'
import type { Push } from '../push.ts'
import { deliverPage } from './deliver-page.ts'
import { FURTHER_PUSH_JOB, type PageJob, PUSH_JOB } from './pages.ts'
import { MAX_REASON_LENGTH } from './tally.ts'

/**
 * Pages that one node processes concurrently, by job kind. A push to all devices has one job of the first kind and many of the
 * other, so that workers remain for new pushes even if its provider is slow. One app uses all but one of each kind.
 */
const CONCURRENCY = { first: 7, further: 5 }
const MAX_ATTEMPTS = 20

/**
 * Registers the handlers that send pushes in the background. All nodes take part.
 * @param open returns the pushes of an app; undefined when the app was deleted
 */
export function sendPushes(jobs: Jobs, open: (appId: string) => Promise<Push | undefined>): void {
  const handler: Handler<PageJob> = {
    maxAttempts: MAX_ATTEMPTS,
    async run(job, signal) {
      const push = await open(job.appId)
      if (!push) return
      try {
        await deliverPage(push, job, signal)
      } catch (error) {
        // A permanent error, such as a condition on a deleted class. A retry would not help.
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        await endInError(push, job.pushId, error.message)
      }
    },
    async failed(job) {
      const push = await open(job.appId)
      // An error of the push itself or of the server, which is in the server's log.
      if (push) await endInError(push, job.pushId, 'the push could not be sent')
    },
  }
  jobs.handle(PUSH_JOB, { ...handler, concurrency: CONCURRENCY.first })
  jobs.handle(FURTHER_PUSH_JOB, { ...handler, concurrency: CONCURRENCY.further })
}

/** Ends a push with an error before all its devices were handled. */
export async function endInError({ database, tables }: Push, pushId: string, reason: string): Promise<void> {
  const known = reason.slice(0, MAX_REASON_LENGTH)
  const errors = JSON.stringify({ [known]: 1 })
  await database.query(sql`
    WITH push AS (
      UPDATE ${tables.pushes} SET ended_at = now(), failure = ${known}
      WHERE id = ${pushId} AND ended_at IS NULL
      RETURNING notification_id
    )
    UPDATE ${tables.records} AS record
    SET status = 'error', updated_at = now(), errors = errors || ${errors}::jsonb
    FROM push
    WHERE record.notification_id = push.notification_id`)
}
