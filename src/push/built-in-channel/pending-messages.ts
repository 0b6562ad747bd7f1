import { coalesce } from '../../database/coalesce.ts'
import { rowDecoder, text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { DeviceMessage } from '../device-message.ts'
import type { PushTables } from '../push.ts'

/** Maximum unacknowledged messages that are sent to a device after it was offline. */
export const PENDING_PAGE = 50
/** Devices whose pages are read by one statement. Each page can have 200 KB. */
const PAGES_AT_ONCE = 20
/** Maximum acknowledgements stored by one statement. */
const ACKNOWLEDGED_AT_ONCE = 1000

interface Acknowledgement {
  readonly installationId: string
  readonly ids: readonly string[]
}

/**
 * Messages that devices on the built-in push channel have not acknowledged yet (protocol/push, Content for the built-in push
 * channel: offline).
 */
export class PendingMessages {
  readonly #database: Database
  readonly #tables: PushTables
  /** Returns the oldest unexpired messages of a device, at most `PENDING_PAGE`. */
  readonly oldest: (installationId: string) => Promise<readonly DeviceMessage[]>
  /** Deletes messages that a device has received, and counts the device once in the records of their pushes. */
  readonly acknowledge: (acknowledgement: Acknowledgement) => Promise<null>

  constructor(database: Database, tables: PushTables) {
    this.#database = database
    this.#tables = tables
    this.oldest = coalesce((ids) => this.#readOldest(ids), { atOnce: 2, size: PAGES_AT_ONCE })
    // A thousand devices acknowledge a push at the same moment, and all of them are counted in one row, so batches run one at a
    // time.
    this.acknowledge = coalesce((items) => this.#forget(items), { atOnce: 1, size: ACKNOWLEDGED_AT_ONCE })
  }

  /**
   * Stores a message for devices, except those that the same push has reached before: a page can be sent again.
   * @returns the devices that have the message and have not acknowledged it
   */
  async store(
    { id, text }: DeviceMessage,
    pushId: string,
    expiry: Date,
    installationIds: readonly string[],
  ): Promise<string[]> {
    const { contents, messages } = this.#tables
    const rows = await this.#database.query(sql`
      WITH device AS (
        SELECT DISTINCT installation_id FROM unnest(${installationIds}::text[]) AS installation_id
      ), content AS (
        INSERT INTO ${contents} (id, push_id, content, expires_at)
        VALUES (${id}, ${pushId}, ${text}, ${expiry.toISOString()}::timestamptz)
        ON CONFLICT DO NOTHING
      ), stored AS (
        INSERT INTO ${messages} (installation_id, content_id)
        SELECT installation_id, ${id}
        FROM device
        WHERE NOT EXISTS (
          -- The ids of all messages of a push begin with the id of the push; see deviceMessage.
          SELECT FROM ${messages} AS message
          WHERE message.installation_id = device.installation_id
            AND message.content_id >= ${pushId} AND message.content_id < ${`${pushId}!`})
        ORDER BY installation_id
        ON CONFLICT DO NOTHING
        RETURNING installation_id
      )
      SELECT installation_id FROM stored
      UNION
      SELECT installation_id FROM device JOIN ${messages} USING (installation_id) WHERE content_id = ${id}`)
    return rows.map(installationIdOf)
  }

  async #readOldest(installationIds: readonly string[]) {
    const { contents, messages, pushes } = this.#tables
    const rows = await this.#database.query(sql`
      SELECT device.installation_id, pending.id, pending.content
      FROM (SELECT DISTINCT installation_id FROM unnest(${installationIds}::text[]) AS installation_id) AS device
      CROSS JOIN LATERAL (
        SELECT content.id, content.content, push.started_at
        FROM ${messages} AS message
        JOIN ${contents} AS content ON content.id = message.content_id
        LEFT JOIN ${pushes} AS push ON push.id = content.push_id
        WHERE message.installation_id = device.installation_id AND content.expires_at > now()
        -- Pushes whose record is deleted are the oldest.
        ORDER BY push.started_at NULLS FIRST, content.id
        LIMIT ${PENDING_PAGE}
      ) AS pending
      ORDER BY device.installation_id, pending.started_at NULLS FIRST, pending.id`)
    const pages = new Map<string, DeviceMessage[]>(installationIds.map((id) => [id, []]))
    for (const { installationId, message } of rows.map(decodePending)) pages.get(installationId)!.push(message)
    return installationIds.map((id) => ({ result: pages.get(id)! }))
  }

  async #forget(acknowledgements: readonly Acknowledgement[]) {
    const { contents, messages, pushes, records } = this.#tables
    const pairs = acknowledgements.flatMap(({ installationId, ids }) => ids.map((id) => [installationId, id] as const))
    await this.#database.query(sql`
      WITH acknowledged AS (
        DELETE FROM ${messages} AS message
        USING unnest(
          ${pairs.map(([installationId]) => installationId)}::text[],
          ${pairs.map(([, id]) => id)}::text[]) AS given (installation_id, content_id)
        WHERE message.installation_id = given.installation_id AND message.content_id = given.content_id
        RETURNING message.content_id
      ), reached AS (
        SELECT push.notification_id, count(*) AS devices
        FROM acknowledged
        JOIN ${contents} AS content ON content.id = acknowledged.content_id
        JOIN ${pushes} AS push ON push.id = content.push_id
        GROUP BY push.notification_id
      )
      UPDATE ${records} AS record
      SET successes = jsonb_set(
            successes, '{own}', to_jsonb(coalesce((successes->>'own')::bigint, 0) + reached.devices)),
          updated_at = now()
      FROM reached
      WHERE record.notification_id = reached.notification_id`)
    return acknowledgements.map(() => ({ result: null }))
  }
}

const decodePending = rowDecoder({
  installationId: text('installation_id'),
  message: rowDecoder({ id: text('id'), text: text('content') }),
})

const installationIdOf = text('installation_id')
