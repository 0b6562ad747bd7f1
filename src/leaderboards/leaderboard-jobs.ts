import type { Jobs } from '../jobs/jobs.ts'
import { ARCHIVE_JOB, type ArchiveJob } from './archives.ts'
import { CLEAR_JOB, type ClearJob, clear } from './clear.ts'
import type { Leaderboards } from './leaderboards.ts'
import { CHANGE_JOB, type ChangeJob, changeIfOver } from './versions.ts'
import { archiveFailed, writeArchive } from './write-archive.ts'

const MAX_ATTEMPTS = 20

/**
 * Registers the background jobs of leaderboards: scheduled version changes, archives of ended versions, and deletion of expired
 * statistics. If a node fails, other nodes continue its jobs.
 * @param open returns the leaderboards of an app; undefined when the app was deleted
 */
export function changeLeaderboards(jobs: Jobs, open: (appId: string) => Promise<Leaderboards | undefined>): void {
  jobs.handle<ChangeJob>(CHANGE_JOB, {
    maxAttempts: MAX_ATTEMPTS,
    concurrency: 4,
    async run(job) {
      const leaderboards = await open(job.appId)
      if (leaderboards) await changeIfOver(leaderboards, job)
    },
  })
  jobs.handle<ArchiveJob>(ARCHIVE_JOB, {
    maxAttempts: MAX_ATTEMPTS,
    concurrency: 2,
    async run(job, signal) {
      const leaderboards = await open(job.appId)
      if (leaderboards) await writeArchive(leaderboards, job, signal)
    },
    async failed(job) {
      const leaderboards = await open(job.appId)
      if (leaderboards) await archiveFailed(leaderboards, job)
    },
  })
  jobs.handle<ClearJob>(CLEAR_JOB, {
    maxAttempts: MAX_ATTEMPTS,
    async run(job, signal) {
      const leaderboards = await open(job.appId)
      if (leaderboards) await clear(leaderboards, job, signal)
    },
  })
}
