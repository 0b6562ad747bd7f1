import { coalesce, type Outcome } from '../database/coalesce.ts'
import { number, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Principal } from '../scheduling/principal.ts'
import type { MessagingTables } from './messaging-tables.ts'

/** Maximum number of clients in one statement. */
const SIZE = 200
const AT_ONCE = 3
/** How long a lookup waits for others to share its statement, in milliseconds. */
const INTERVAL = 20

/** A client and the conversation that it wants to join. */
interface JoiningClient {
  readonly convId: string
  readonly clientId: string
}

/** Looks up blocked clients. Simultaneous lookups share a statement, whatever their conversations. */
export class Blocks {
  /** Returns whether the conversation blocks the client, or the client blocks the conversation. */
  readonly has: (joining: JoiningClient) => Promise<boolean>

  constructor(database: Database, tables: MessagingTables) {
    this.has = coalesce((newcomers) => areBlocked(database, tables, newcomers), {
      atOnce: AT_ONCE,
      size: SIZE,
      interval: INTERVAL,
    })
  }
}

async function areBlocked(
  database: Database,
  { blocks, clientBlocks }: MessagingTables,
  newcomers: readonly JoiningClient[],
): Promise<Outcome<boolean>[]> {
  const rows = await database.query(sql`
    SELECT number
    FROM unnest(
      ${newcomers.map((_, number) => String(number))}::integer[],
      ${newcomers.map(({ convId }) => convId)}::text[],
      ${newcomers.map(({ clientId }) => clientId)}::text[]
    ) AS item (number, conv_id, client_id)
    WHERE EXISTS (
        SELECT FROM ${blocks} AS block
        WHERE block.conv_id = item.conv_id COLLATE "C" AND block.client_id = item.client_id COLLATE "C"
      ) OR EXISTS (
        SELECT FROM ${clientBlocks} AS block
        WHERE block.conv_id = item.conv_id COLLATE "C" AND block.client_id = item.client_id COLLATE "C"
      )`)
  const blocked = new Set(rows.map(number('number')))
  return newcomers.map((_, number) => ({ result: blocked.has(number) }))
}

/** Returns which of these conversations a client cannot join: either side blocks the other. */
export async function closedTo(
  { database, tables }: { readonly database: Database; readonly tables: MessagingTables },
  clientId: string,
  convIds: readonly string[],
  principal?: Principal,
): Promise<ReadonlySet<string>> {
  if (convIds.length === 0) return new Set()
  const { blocks, clientBlocks } = tables
  const statement = sql`
    SELECT conv_id FROM ${blocks} WHERE client_id = ${clientId} AND conv_id = ANY(${convIds}::text[])
    UNION
    SELECT conv_id FROM ${clientBlocks} WHERE client_id = ${clientId} AND conv_id = ANY(${convIds}::text[])`
  const rows = await database.query(statement, principal)
  return new Set(rows.map(text('conv_id')))
}

/** Returns which of these clients cannot join: the conversation blocks them, or they block it. */
export async function blockedAmong(
  { tables }: { readonly tables: MessagingTables },
  executor: Executor,
  convId: string,
  clientIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { blocks, clientBlocks } = tables
  const rows = await executor.query(sql`
    SELECT client_id FROM ${blocks} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])
    UNION
    SELECT client_id FROM ${clientBlocks} WHERE conv_id = ${convId} AND client_id = ANY(${clientIds}::text[])`)
  return new Set(rows.map(text('client_id')))
}
