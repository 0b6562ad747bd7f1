import type { Row } from '../../database/row.ts'
import { raw, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { type Channel, PROVIDERS } from '../providers/all.ts'
import type { Push } from '../push.ts'
import { type GivenUp, givenUpOf } from './given-up.ts'
import { decodeRecord } from './record-row.ts'

/** Why some devices did not get a push. */
interface FailureCount {
  /** How they would have been reached; null where that was not known yet. */
  readonly channel: Channel | null
  readonly reason: string
  readonly count: number
}

/** What came of the pushes of one notification id, as administrators see it. Times as ISO. */
export interface PushResult {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  /** When it is to be sent; null: at once. */
  readonly pushAt: string | null
  readonly status: string
  readonly environment: string
  readonly service: string
  readonly data: JsonObject
  readonly target: JsonObject
  /** How many devices were chosen so far. */
  readonly devices: number
  /** How many took it, by how they are reached. */
  readonly successes: { readonly [channel: string]: number }
  readonly failures: readonly FailureCount[]
}

const CHANNELS: ReadonlySet<string> = new Set([...PROVIDERS.map(({ name }) => name), 'own'])

export interface ResultsPage {
  /** Where the page before ended; null for the first page. */
  readonly after: Pick<PushResult, 'id' | 'createdAt'> | null
  readonly limit: number
}

/** The pushes of the last days, the newest first: a range of an index at any depth. */
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

/** @returns null when there is none, or no longer */
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

/** Reasons that a channel has are stored behind its name (`deliver-page.ts`). */
function failureOf(text: string): Omit<FailureCount, 'count'> {
  const [, name, reason] = /^(\w+): (.*)$/s.exec(text) ?? []
  return name !== undefined && CHANNELS.has(name)
    ? { channel: name as Channel, reason: reason! }
    : { channel: null, reason: text }
}
