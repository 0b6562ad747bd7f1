import { date, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { shownTarget } from '../installations/targets.ts'
import type { Push } from '../push.ts'
import type { PushRequest } from '../push-request.ts'

/** Lists the scheduled pushes, the next one first (protocol/push, Scheduled pushes). */
export async function listScheduled(push: Push): Promise<JsonObject[]> {
  const { rows } = await push.database.search(sql`
    SELECT id, number, notification_id, created_at, push_at, request
    FROM ${push.tables.pushes}
    WHERE started_at IS NULL AND push_at IS NOT NULL
    ORDER BY push_at, number`)
  return rows.map((row) => shownPush(push.appId, row))
}

/**
 * Cancels a scheduled push. Its record is deleted too, unless other pushes share it.
 * @param number the number in the list
 * @returns whether the push existed
 */
export async function cancelScheduled({ database, tables }: Push, number: number): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [cancelled] = await transaction.query(sql`
      DELETE FROM ${tables.pushes}
      WHERE number = ${number} AND started_at IS NULL AND push_at IS NOT NULL
      RETURNING notification_id`)
    if (!cancelled) return false
    const notificationId = text('notification_id')(cancelled)
    const others = sql`SELECT FROM ${tables.pushes} WHERE notification_id = ${notificationId}`
    await transaction.query(sql`
      DELETE FROM ${tables.records} WHERE notification_id = ${notificationId} AND NOT EXISTS (${others})`)
    await transaction.query(sql`
      UPDATE ${tables.records}
      SET status = 'done', updated_at = now()
      WHERE notification_id = ${notificationId}
        AND status = 'scheduled'
        AND NOT EXISTS (${others} AND ended_at IS NULL)`)
    return true
  })
}

const decodeScheduled = rowDecoder({
  pushId: text('id'),
  number: number('number'),
  notificationId: text('notification_id'),
  createdAt: date('created_at'),
  pushAt: date('push_at'),
  request: json<PushRequest>('request'),
})

function shownPush(appId: string, row: Row): JsonObject {
  const { number: id, pushAt, createdAt, request, pushId, notificationId } = decodeScheduled(row)
  const { data, target, prod } = request
  return {
    id,
    expire_time: Date.parse(pushAt),
    createdAt,
    push_msg: {
      'through?': null,
      'app-id': appId,
      'api-version': '1.1',
      prod,
      where: { sort: { createdAt: 1 }, query: shownTarget(target) },
      msg: data,
      id: pushId,
      notificationId,
    },
  }
}
