import type { Row } from '../../database/row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { hasPlatformParts } from '../content.ts'
import { type Channel, PROVIDERS } from '../providers/all.ts'
import type { Push } from '../push.ts'
import { decodeRecord } from './record-row.ts'

/** The record of the pushes with one notification id, as the API returns it (protocol/push, Notification records). */
export type ShownRecord = JsonObject

/** Fields of a record that count successes, with the channel in the tally. */
const SUCCESS_FIELDS: readonly (readonly [field: string, channel: Channel])[] = [
  ['lcSuccesses', 'own'],
  ...PROVIDERS.map(({ successes, name }) => [successes, name] as const),
]

/** Returns a record. @param id a push id, the record's id, or the notification id. @returns null when there is none */
export async function readRecord(push: Push, id: string): Promise<ShownRecord | null> {
  const [row] = await push.database.query(sql`
    SELECT * FROM ${push.tables.records} WHERE notification_id = ${notificationIdOf(push, id)}`)
  return row ? shownRecord(row) : null
}

/** Lists records, newest first. */
export async function listRecords({ database, tables }: Push, limit: number, skip: number): Promise<ShownRecord[]> {
  const { rows } = await database.search(sql`
    SELECT *
    FROM ${tables.records}
    ORDER BY created_at DESC, notification_id DESC
    LIMIT ${limit}
    OFFSET ${skip}`)
  return rows.map(shownRecord)
}

/**
 * Deletes a record and its pushes. Devices that were not sent to yet get nothing (protocol/push, Notification records). Pages in
 * progress stop when they next store their progress.
 * @param id as in `readRecord`
 * @returns whether the record existed
 */
export async function deleteRecord(push: Push, id: string): Promise<boolean> {
  const deleted = await push.database.query(sql`
    DELETE FROM ${push.tables.records} WHERE notification_id = ${notificationIdOf(push, id)} RETURNING id`)
  return deleted.length > 0
}

function notificationIdOf({ tables }: Push, id: string): Sql {
  return sql`(
    SELECT notification_id FROM ${tables.records} WHERE notification_id = ${id}
    UNION ALL
    SELECT notification_id FROM ${tables.records} WHERE id = ${id}
    UNION ALL
    SELECT notification_id FROM ${tables.pushes} WHERE id = ${id}
    LIMIT 1)`
}

function shownRecord(row: Row): ShownRecord {
  const record = decodeRecord(row)
  const parts = SUCCESS_FIELDS.map(([field, channel]) => [field, record.successes[channel] ?? 0] as const)
  const errors = Object.entries(record.errors)
  return {
    objectId: record.id,
    notificationId: record.notificationId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    msg: shownMessage(record.msg),
    where: record.target,
    status: record.status,
    devices: record.devices,
    successes: parts.reduce((total, [, count]) => total + count, 0),
    ...Object.fromEntries(parts),
    invalidTokens: record.invalidTokens,
    prod: record.prod,
    'from-service': record.service,
    ...(record.pushAt !== null && { 'push-time': record.pushAt }),
    ...(errors.length > 0 && { errors: errors.map(([reason, count]) => `${reason} (${count})`).join('; ') }),
  }
}

/**
 * Returns the content as shown in a record. When platforms have their own texts, the common text is left out, because not all
 * devices got it (protocol/push, Content by platform).
 */
function shownMessage(data: JsonObject): JsonObject {
  if (!hasPlatformParts(data)) return data
  const { alert: _, title: __, ...rest } = data
  return rest
}
