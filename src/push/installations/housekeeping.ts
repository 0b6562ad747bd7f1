import { text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { recur } from '../../jobs/recurring.ts'
import { noteWrite } from '../../objects/store.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { INSTALLATION_ID } from './installation-identity.ts'
import { ACTIVE_DAYS } from './targets.ts'

export interface HousekeepingTimes {
  /** Milliseconds until the first run, and between runs. */
  readonly delay: number
  readonly interval: number
  /** Returns milliseconds since the epoch. */
  now(): number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const USUAL: HousekeepingTimes = { delay: MINUTE / 2, interval: HOUR, now: Date.now }

/**
 * How long push records (protocol/push, Notification records) and request ids (protocol/push, Request) are kept, in milliseconds.
 */
const RECORD_LIFE = 7 * DAY
const REQUEST_LIFE = 5 * MINUTE

/** Maximum rows that one statement deletes (`CHUNK`) or scans (`WINDOW`). */
const CHUNK = 1000
const WINDOW = 5000

/**
 * Deletes expired push data and inactive devices, first after a short delay and then every hour. Nodes can run this concurrently:
 * each skips rows that another one is deleting.
 * @returns a function that stops it
 */
export function startHousekeeping(push: Push, times: HousekeepingTimes = USUAL): () => void {
  const { delay, interval } = times
  return recur((signal) => keepHouse(push, times.now(), signal), {
    delay,
    interval,
    failed: (error) => push.log.warn({ error }, 'removing expired push records failed'),
  })
}

/**
 * Deletes everything that has expired at a time.
 * @param now milliseconds since the epoch
 * @param signal stops it after the current statement
 */
export async function keepHouse(push: Push, now: number, signal?: AbortSignal): Promise<void> {
  const before = (age: number) => sql`${new Date(now - age).toISOString()}::timestamptz`
  const old = [
    oldInstallations(push, before(ACTIVE_DAYS * DAY)),
    oldRecords(push, before(RECORD_LIFE), before(HOUR)),
    oldMessages(push, before(0)),
    oldContents(push, before(0)),
    oldRequests(push, before(REQUEST_LIFE)),
  ]
  for (const statement of old) await inChunks(push, statement, signal)
  await removeOldLogins(push, before(ACTIVE_DAYS * DAY), signal)
}

/** Repeats a statement that deletes up to `CHUNK` rows and returns them, until it deletes fewer. */
async function inChunks(push: Push, statement: Sql, signal: AbortSignal | undefined): Promise<void> {
  let removed: Row[]
  do {
    if (signal?.aborted) return
    removed = await push.database.query(statement)
    if (removed.some((row) => row.class === INSTALLATION)) noteWrite(push.objects, INSTALLATION)
  } while (removed.length === CHUNK)
}

/** Deletes inactive installations. The device creates a new one at its next start (protocol/push, Life of an installation). */
function oldInstallations(push: Push, before: Sql): Sql {
  const { relations, classes } = push.objects
  const fields = classes.get(INSTALLATION)!.relationFields.map(({ name }) => name)
  const members = sql`, members AS (
      DELETE FROM ${relations} AS relation
      USING deleted
      WHERE relation.owner_class = ${INSTALLATION}
        AND relation.field = ANY(${fields}::text[])
        AND relation.owner_id = deleted.id
    )`
  return sql`
    WITH old AS (
      SELECT id FROM ${installationTable(push)} WHERE updated_at < ${before} ORDER BY updated_at
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM ${installationTable(push)} AS installation USING old WHERE installation.id = old.id
      RETURNING installation.id
    )${fields.length === 0 ? raw('') : members}
    SELECT ${INSTALLATION} AS class FROM deleted`
}

/**
 * Deletes records with their pushes. Keeps those with unsent pushes, and those updated recently: another push with the same id
 * may follow.
 */
function oldRecords({ tables }: Push, before: Sql, inactiveSince: Sql): Sql {
  return sql`
    WITH old AS (
      SELECT notification_id FROM ${tables.records} AS record
      WHERE created_at < ${before}
        AND updated_at < ${inactiveSince}
        AND NOT EXISTS (
          SELECT FROM ${tables.pushes} AS push
          WHERE push.notification_id = record.notification_id AND push.ended_at IS NULL)
      ORDER BY created_at
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM ${tables.records} AS record USING old WHERE record.notification_id = old.notification_id
    RETURNING record.id`
}

/** Deletes messages before their contents, because millions of devices can wait for one content. */
function oldMessages({ tables }: Push, before: Sql): Sql {
  return sql`
    WITH old AS (
      SELECT message.installation_id, message.content_id
      FROM ${tables.contents} AS content
      JOIN ${tables.messages} AS message ON message.content_id = content.id
      WHERE content.expires_at < ${before}
      LIMIT ${CHUNK} FOR UPDATE OF message SKIP LOCKED
    )
    DELETE FROM ${tables.messages} AS message USING old
    WHERE message.installation_id = old.installation_id AND message.content_id = old.content_id
    RETURNING message.content_id`
}

function oldContents({ tables }: Push, before: Sql): Sql {
  return sql`
    WITH old AS (
      SELECT id FROM ${tables.contents} WHERE expires_at < ${before} ORDER BY expires_at
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM ${tables.contents} AS content USING old WHERE content.id = old.id
    RETURNING content.id`
}

function oldRequests({ tables }: Push, before: Sql): Sql {
  return sql`
    WITH old AS (
      SELECT req_id FROM ${tables.requests} WHERE created_at < ${before}
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM ${tables.requests} AS request USING old WHERE request.req_id = old.req_id
    RETURNING request.req_id`
}

/** Deletes old logins by scanning the table: no index covers their time. */
async function removeOldLogins(push: Push, before: Sql, signal: AbortSignal | undefined): Promise<void> {
  const { logins } = push.tables
  for (let after: string | null = ''; after !== null && !signal?.aborted; ) {
    const [row]: Row[] = await push.database.query(sql`
      WITH chunk AS (
        SELECT installation_id, last_at FROM ${logins}
        WHERE installation_id > ${after} ORDER BY installation_id LIMIT ${WINDOW}
      ), deleted AS (
        DELETE FROM ${logins} AS login USING chunk
        WHERE login.installation_id = chunk.installation_id
          AND login.last_at < ${before}
          AND NOT EXISTS (
            SELECT FROM ${installationTable(push)}
            WHERE ${INSTALLATION_ID} = login.installation_id COLLATE "default")
      )
      SELECT max(installation_id) AS until FROM chunk`)
    after = row ? text.orNull('until')(row) : null
  }
}
