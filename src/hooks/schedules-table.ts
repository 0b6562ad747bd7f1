import { boolean, date, isTrue, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Outcome } from './functions-outcome.ts'
import { nextRun, parseSchedule, type Schedule } from './schedules-settings.ts'

/** The schedules of one app, as the database knows them. */
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
  /** When it falls due; null when it does not. */
  readonly nextAt: Date | null
  /** It runs at this moment. */
  readonly busy: boolean
}

/** A run that is this node's to make. */
export interface ClaimedRun extends KnownSchedule {
  readonly startedAt: string
}

/** A run of which nothing was heard for so long is over: its server has died. */
const LONGEST_RUN = '20 s'
/** More failures than these in 24 hours disable a schedule (protocol/cloud-code, Scheduled and queued functions). */
const FAILURES_ALLOWED = 30
const COUNTED = new Set([400, 502])

/**
 * The schedules that the settings name. Those that are new or changed begin with this look; the settings are read from
 * the database, because another node may know newer ones.
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

/** Forgets the schedules that the settings name no more. */
export async function forgetOldSchedules({ database, table, appId }: AppSchedules): Promise<void> {
  await database.query(sql`
    DELETE FROM ${table} AS state
    USING homeport.apps AS app
    WHERE app.id = ${appId} AND app.settings #> ARRAY['engine', 'schedules', state.name] IS NULL`)
}

/**
 * Takes a run that is due: of all nodes, one gets it.
 * @returns null when another node has it
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

/** Notes how a run ended. @returns whether the schedule is not called any more, because it failed too often */
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

/** What the administrator sees of a schedule. Times as on the wire. */
export interface ShownSchedule {
  readonly name: string
  readonly function: string
  readonly nextRunAt: string | null
  readonly lastRunAt: string | null
  /** null while it runs, and when its server died. */
  readonly lastOutcome: { readonly status: number; readonly error: string | null; readonly endedAt: string } | null
  readonly disabledAt: string | null
}

/** The schedules of an app by name, and how their last runs ended. */
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

/** Columns of the table are NULL where the schedule is not there yet. */
const decodeKnown = rowDecoder({
  name: text('name'),
  definition: text('definition'),
  disabled: isTrue('disabled'),
  storedNextAt: date.orNull('next_at'),
  known: isTrue('known'),
  busy: isTrue('busy'),
})
