import type { Row } from '../../database/row.ts'
import { raw, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { type Channel, PROVIDERS } from '../providers/all.ts'
import type { Push } from '../push.ts'
import { type GivenUp, givenUpOf } from './given-up.ts'
import { decodeRecord } from './record-row.ts'

/** The number of devices that failed for the same reason. */
interface FailureCount {
  /** null when the channel was not known yet. */
  readonly channel: Channel | null
  readonly reason: string
  readonly count: number
}

/** The result of the pushes with one notification id, as administrators see it. Times are ISO dates. */
export interface PushResult {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Scheduled time; null: sent immediately. */
  readonly pushAt: string | null
  readonly status: string
  readonly environment: string
  readonly service: string
  readonly data: JsonObject
  readonly target: JsonObject
  /** Devices selected so far. */
  readonly devices: number
  /** Devices that accepted the push, by channel. */
  readonly successes: { readonly [channel: string]: number }
  readonly failures: readonly FailureCount[]
}

const CHANNELS: ReadonlySet<string> = new Set([...PROVIDERS.map(({ name }) => name), 'own'])

export interface ResultsPage {
  /** Last item of the previous page; null for the first page. */
  readonly after: Pick<PushResult, 'id' | 'createdAt'> | null
  readonly limit: number
}

/** Lists the pushes of the last days, newest first, by an index range at any depth. */
export async function listResults({ database, tables }: Push, { after, limit }: ResultsPage): Promise<PushResult[]> {
  const beyond = after
    ? sql`WHERE (created_at, notification_id) < (${after.createdAt}::timestamptz, ${after.id})`
    : raw('')
  const { rows } = await database.search(sql`
    SELECT *
    FROM ${tables.records}
    ${beyond}
    ORDER BY created_at DESC, notification_id DESC
    LIMIT ${limit}`)
  return rows.map(resultOf)
}

/** Returns the result of a push. @returns null when there is none or it has expired */
export async function readResult(push: Push, id: string): Promise<(PushResult & { givenUp: GivenUp }) | null> {
  const { database, tables } = push
  const [row] = await database.query(sql`
    SELECT * FROM ${tables.records} WHERE notification_id = ${id} OR id = ${id} LIMIT 1`)
  if (!row) return null
  const result = resultOf(row)
  return { ...result, givenUp: await givenUpOf(push, result.id) }
}

function resultOf(row: Row): PushResult {
  const { notificationId, createdAt, updatedAt, pushAt, status, prod, service, msg, target, devices, ...counts } =
    decodeRecord(row)
  return {
    id: notificationId,
    createdAt,
    updatedAt,
    pushAt,
    status,
    environment: prod,
    service,
    data: msg,
    target,
    devices,
    successes: counts.successes,
    failures: Object.entries(counts.errors).map(([text, count]) => ({ ...failureOf(text), count })),
  }
}

/** Parses a stored reason, which starts with the channel's name if it has one (`deliver-page.ts`). */
function failureOf(text: string): Omit<FailureCount, 'count'> {
  const [, name, reason] = /^(\w+): (.*)$/s.exec(text) ?? []
  return name !== undefined && CHANNELS.has(name)
    ? { channel: name as Channel, reason: reason! }
    : { channel: null, reason: text }
}
