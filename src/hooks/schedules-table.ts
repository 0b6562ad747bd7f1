import { boolean, date, isTrue, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Outcome } from './functions-outcome.ts'
import { nextRun, parseSchedule, type Schedule } from './schedules-settings.ts'

/** The stored schedules of one app. */
export interface AppSchedules {
  readonly appId: string
  readonly database: Database
  readonly table: Sql
}

export interface KnownSchedule {
  readonly name: string
  readonly schedule: Schedule
  /** The setting, as JSON. */
  readonly definition: string
  /** The next due time; null for none. */
  readonly nextAt: Date | null
  /** Whether it is running. */
  readonly busy: boolean
}

/** A run that this node has claimed. */
export interface ClaimedRun extends KnownSchedule {
  readonly startedAt: string
}

/** A run without an end after this time counts as over: its server has died. */
const LONGEST_RUN = '20 s'
/** Maximum number of failures in 24 hours before a schedule is disabled (protocol/cloud-code, Scheduled and queued functions). */
const FAILURES_ALLOWED = 30
const COUNTED = new Set([400, 502])

/**
 * Returns the schedules in the settings, and stores new and changed ones. Reads the settings from the database, because another
 * node may have newer ones.
 */
export async function lookAtSchedules(app: AppSchedules, now: Date): Promise<KnownSchedule[]> {
  const { database, table, appId } = app
  const rows = await database.query(sql`
    SELECT setting.key AS name,
      setting.value AS definition,
      state.next_at,
      state.definition IS NOT DISTINCT FROM setting.value AS known,
      state.disabled_at IS NOT NULL AS disabled,
      state.started_at IS NOT NULL
        AND state.ended_at IS NULL
        AND state.started_at > now() - ${LONGEST_RUN}::interval AS busy
    FROM homeport.apps AS app
    CROSS JOIN LATERAL jsonb_each(coalesce(app.settings #> '{engine,schedules}', '{}')) AS setting
    LEFT JOIN ${table} AS state ON state.name = setting.key
    WHERE app.id = ${appId}`)
  const known = rows.map((row) => knownSchedule(row, now))
  for (const [index, schedule] of known.entries()) if (!rows[index]!.known) await begin(app, schedule)
  return known
}

/** Deletes schedules that are no longer in the settings. */
export async function forgetOldSchedules({ database, table, appId }: AppSchedules): Promise<void> {
  await database.query(sql`
    DELETE FROM ${table} AS state
    USING homeport.apps AS app
    WHERE app.id = ${appId} AND app.settings #> ARRAY['engine', 'schedules', state.name] IS NULL`)
}

/**
 * Claims a run that is due, on one of the nodes.
 * @returns null when another node has claimed it
 */
export async function claimRun(app: AppSchedules, due: KnownSchedule, now: Date): Promise<ClaimedRun | null> {
  const { name, definition, schedule, nextAt } = due
  const dueAt = nextAt!
  const next = nextRun(schedule, dueAt, now)
  const [row] = await app.database.query(sql`
    UPDATE ${app.table}
    SET next_at = ${next?.toISOString() ?? null}::timestamptz,
        started_at = clock_timestamp(),
        ended_at = NULL,
        status = NULL,
        error = NULL
    WHERE name = ${name}
      AND definition = ${definition}::jsonb
      AND next_at = ${dueAt.toISOString()}::timestamptz
      AND disabled_at IS NULL
      AND (started_at IS NULL OR ended_at IS NOT NULL OR started_at < now() - ${LONGEST_RUN}::interval)
    RETURNING started_at`)
  return row ? { ...due, startedAt: text('started_at')(row) } : null
}

/** Records the outcome of a run. @returns whether the schedule has been disabled because of too many failures */
export async function recordRun(app: AppSchedules, run: ClaimedRun, { status, error }: Outcome): Promise<boolean> {
  const counts = COUNTED.has(status)
  const recent = sql`ARRAY(
    SELECT failed_at FROM unnest(failures) AS failed_at WHERE failed_at > now() - interval '24 hours'
    UNION ALL SELECT now() WHERE ${counts}::boolean)`
  const [row] = await app.database.query(sql`
    UPDATE ${app.table}
    SET ended_at = now(),
        status = ${status},
        error = ${error},
        failures = ${recent},
        disabled_at = CASE WHEN cardinality(${recent}) > ${FAILURES_ALLOWED} THEN now() END
    WHERE name = ${run.name} AND started_at = ${run.startedAt}::timestamptz
    RETURNING disabled_at IS NOT NULL AS disabled`)
  return row !== undefined && boolean('disabled')(row)
}

/** A schedule as shown to the administrator. Times are ISO strings. */
export interface ShownSchedule {
  readonly name: string
  readonly function: string
  readonly nextRunAt: string | null
  readonly lastRunAt: string | null
  /** null while it is running, or if its server died. */
  readonly lastOutcome: { readonly status: number; readonly error: string | null; readonly endedAt: string } | null
  readonly disabledAt: string | null
}

/** Lists the schedules of an app by name, with their last outcomes. */
export async function listSchedules(app: AppSchedules): Promise<ShownSchedule[]> {
  await forgetOldSchedules(app)
  await lookAtSchedules(app, new Date())
  const rows = await app.database.query(sql`
    SELECT name, definition, next_at, started_at, ended_at, status, error, disabled_at FROM ${app.table} ORDER BY name`)
  return rows.map(decodeListed).map(({ nextAt, endedAt, status, error, ...schedule }) => ({
    ...schedule,
    nextRunAt: schedule.disabledAt === null ? nextAt : null,
    lastOutcome: endedAt === null ? null : { status: status ?? 0, error, endedAt },
  }))
}

const decodeListed = rowDecoder({
  name: text('name'),
  function: text('definition', (definition) => parseSchedule(JSON.parse(definition)).function),
  nextAt: date.orNull('next_at'),
  lastRunAt: date.orNull('started_at'),
  endedAt: date.orNull('ended_at'),
  status: number.orNull('status'),
  error: text.orNull('error'),
  disabledAt: date.orNull('disabled_at'),
})

async function begin({ database, table, appId }: AppSchedules, schedule: KnownSchedule): Promise<void> {
  const { name, definition, nextAt } = schedule
  await database.query(sql`
    INSERT INTO ${table} AS state (name, definition, next_at)
    SELECT ${name}, ${definition}::jsonb, ${nextAt?.toISOString() ?? null}::timestamptz
    FROM homeport.apps AS app
    WHERE app.id = ${appId} AND app.settings #> ARRAY['engine', 'schedules', ${name}] = ${definition}::jsonb
    ON CONFLICT (name) DO UPDATE
    SET definition = excluded.definition, next_at = excluded.next_at, failures = '{}', disabled_at = NULL
    WHERE state.definition <> excluded.definition`)
}

function knownSchedule(row: Row, now: Date): KnownSchedule {
  const { name, definition, disabled, storedNextAt, known, busy } = decodeKnown(row)
  const schedule = parseSchedule(JSON.parse(definition))
  const stored = disabled || storedNextAt === null ? null : new Date(storedNextAt)
  return { name, schedule, definition, nextAt: known ? stored : nextRun(schedule, now, now), busy }
}

/** Columns of the table are NULL for a schedule that has not been stored yet. */
const decodeKnown = rowDecoder({
  name: text('name'),
  definition: text('definition'),
  disabled: isTrue('disabled'),
  storedNextAt: date.orNull('next_at'),
  known: isTrue('known'),
  busy: isTrue('busy'),
})
