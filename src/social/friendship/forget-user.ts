import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { noteWrite } from '../../objects/store.ts'
import { type Friendship, type FriendshipClass, OTHER_USER, schemaOf, userIn } from './friendship.ts'
import { lockUser } from './pair.ts'

const JOB = 'friendships of a deleted user'
const MAX_ATTEMPTS = 20

/** Rows that one statement deletes, so that deleting a user with millions of followers does not block others. */
const PAGE = 500

interface ForgetJob {
  readonly appId: string
  readonly userId: string
}

/**
 * Schedules the deletion of a user's relations to others. Must be called in the transaction that deletes the user, after its row
 * is deleted. A concurrent follow has either been committed by then, or does not find the user.
 */
export async function userDeleted(friendship: Friendship, transaction: Executor, userId: string): Promise<void> {
  await lockUser(friendship, transaction, userId)
  const payload: ForgetJob = { appId: friendship.appId, userId }
  await friendship.jobs.enqueue(JOB, payload, { transaction })
}

/** Registers the job. @param open returns the friendships of an app; undefined when the app was deleted */
export function forgetUsers(jobs: Jobs, open: (appId: string) => Promise<Friendship | undefined>): void {
  jobs.handle<ForgetJob>(JOB, {
    maxAttempts: MAX_ATTEMPTS,
    async run({ appId, userId }, signal) {
      const friendship = await open(appId)
      if (friendship) await forgetUser(friendship, userId, signal)
    },
  })
}

/** Deletes all rows that name a user, page by page. An interrupted run continues with the remaining rows. */
async function forgetUser(friendship: Friendship, userId: string, signal: AbortSignal): Promise<void> {
  for (const [className, other] of Object.entries(OTHER_USER) as [FriendshipClass, string][]) {
    for (const field of ['user', other]) {
      while ((await deletePage(friendship, className, field, userId)) === PAGE) signal.throwIfAborted()
    }
  }
}

async function deletePage(
  { database, objects }: Friendship,
  className: FriendshipClass,
  field: string,
  userId: string,
): Promise<number> {
  const schema = schemaOf({ objects }, className)
  const rows = await database.query(sql`
    DELETE FROM ${schema.table}
    WHERE id = ANY(ARRAY(
      SELECT id FROM ${schema.table} WHERE ${userIn(field)} = ${userId} ORDER BY id LIMIT ${PAGE}::bigint))
    RETURNING id, created_at, updated_at, acl, data`)
  if (rows.length > 0) noteWrite(objects, className)
  if (objects.watch.isWatched(className))
    for (const before of rows) objects.watch.written({ schema, before, after: null, updatedKeys: [] })
  return rows.length
}
