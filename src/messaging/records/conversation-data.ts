import { number } from '../../database/decode-row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { isTemporaryId } from '../conversation.ts'
import type { Messaging } from '../messaging.ts'
import { memberInfoTable } from './conversation-class.ts'

/** Maximum number of rows that one statement deletes, to keep it short. */
const CHUNK = 1000

/** Rows of a table that belong to a conversation. */
interface Part {
  readonly table: Sql
  /** The columns of its primary key. */
  readonly key: string
  readonly where: Sql
}

/**
 * Deletes a batch of the data of a deleted conversation: its messages, and everything about its members.
 * @returns whether nothing is left
 */
export async function removeSomeData(messaging: Messaging, convId: string): Promise<boolean> {
  for (const part of partsOf(messaging, convId)) if (!(await removeSome(messaging, part))) return false
  return true
}

function partsOf(messaging: Messaging, convId: string): Part[] {
  const { messages, threads, reads, silences, blocks, clientBlocks, subscriptions, broadcasts } = messaging.tables
  const ofIt = sql`conv_id = ${convId}`
  const parts: Part[] = [
    { table: messages, key: 'thread, ts, id', where: sql`thread = ${convId}` },
    { table: threads, key: 'conv_id', where: ofIt },
    { table: reads, key: 'client_id, conv_id', where: ofIt },
  ]
  if (isTemporaryId(convId)) return parts
  return [
    ...parts,
    // The messages for single subscribers: `;` follows `:` in byte order.
    { table: messages, key: 'thread, ts, id', where: sql`thread > ${`${convId}:`} AND thread < ${`${convId};`}` },
    { table: broadcasts, key: 'id', where: ofIt },
    { table: subscriptions, key: 'conv_id, client_id', where: ofIt },
    { table: silences, key: 'conv_id, client_id', where: ofIt },
    { table: blocks, key: 'conv_id, client_id', where: ofIt },
    { table: clientBlocks, key: 'client_id, conv_id', where: ofIt },
    { table: memberInfoTable(messaging), key: 'id', where: sql`data->>'cid' = ${convId}` },
  ]
}

/** Deletes a batch of rows. @returns whether these were the last */
async function removeSome({ database }: Messaging, { table, key, where }: Part): Promise<boolean> {
  const [row] = await database.query(sql`
    WITH removed AS (
      DELETE FROM ${table}
      WHERE (${raw(key)}) IN (SELECT ${raw(key)} FROM ${table} WHERE ${where} LIMIT ${CHUNK}::bigint)
      RETURNING 1
    )
    SELECT count(*) AS count FROM removed`)
  return number('count')(row!) < CHUNK
}
