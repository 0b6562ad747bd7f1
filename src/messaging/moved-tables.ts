import { type Sql, sql } from '../database/sql.ts'
import type { MessagingTables } from './messaging-tables.ts'

/** A column that moves with an app. */
export interface MovedColumn {
  readonly name: string
  readonly type: 'text' | 'bigint' | 'integer' | 'boolean' | 'text[]' | 'jsonb'
  /** Whether it is nullable. */
  readonly optional: boolean
}

/** A table of messaging whose rows move with an app (docs/moving-in-reference.md, Files of an export). */
export interface MovedTable {
  readonly name: MovedTableName
  readonly columns: readonly MovedColumn[]
  /** The columns of the unique key. */
  readonly key: readonly string[]
  /** How a row that already exists here, as `stored`, is merged. */
  readonly onConflict: Sql
}

export const MOVED_TABLES = [
  'messages',
  'threads',
  'reads',
  'temporary',
  'silences',
  'blocks',
  'clientBlocks',
  'subscriptions',
  'broadcasts',
  'notifications',
  'kicks',
] as const satisfies readonly (keyof MessagingTables)[]
export type MovedTableName = (typeof MOVED_TABLES)[number]

const STAYS = sql`DO NOTHING`

const tables: { readonly [name in MovedTableName]: MovedTable } = {
  messages: table(
    'messages',
    `thread text, ts bigint, id text, conv_id text, sender text, content text, bin boolean, token text?, mention_all boolean,
     mentions text[]?, receipt boolean, type integer?, ip text?, patched_at bigint?, recalled boolean`,
    'thread ts id',
  ),
  threads: table(
    'threads',
    'conv_id text, last_ts bigint, before_ts bigint',
    'conv_id',
    sql`(conv_id) DO UPDATE SET
      before_ts = CASE WHEN excluded.last_ts >= stored.last_ts THEN excluded.before_ts ELSE stored.before_ts END,
      last_ts = greatest(stored.last_ts, excluded.last_ts)`,
  ),
  // Cursors only move forward. One that the member has not moved only records the default position when messages arrived.
  reads: table(
    'reads',
    `client_id text, conv_id text, read_ts bigint, received_ts bigint, changed_at bigint, has_read boolean,
     has_received boolean`,
    'client_id conv_id',
    sql`(client_id, conv_id) DO UPDATE SET
      read_ts = CASE
        WHEN excluded.has_read AND NOT stored.has_read AND NOT stored.has_received THEN excluded.read_ts
        ELSE greatest(stored.read_ts, excluded.read_ts)
      END,
      received_ts = CASE
        WHEN excluded.has_read AND NOT stored.has_read AND NOT stored.has_received THEN excluded.received_ts
        ELSE greatest(stored.received_ts, excluded.received_ts)
      END,
      changed_at = greatest(stored.changed_at, excluded.changed_at),
      has_read = stored.has_read OR excluded.has_read,
      has_received = stored.has_received OR excluded.has_received`,
  ),
  temporary: table(
    'temporary',
    'id text, unique_id text?, members text[], creator text, created_ts bigint, expires_ts bigint',
    'id',
  ),
  silences: table('silences', 'conv_id text, client_id text, until_ts bigint?', 'conv_id client_id'),
  blocks: table('blocks', 'conv_id text, client_id text', 'conv_id client_id'),
  clientBlocks: table('clientBlocks', 'client_id text, conv_id text', 'client_id conv_id'),
  subscriptions: table('subscriptions', 'conv_id text, client_id text, since_ts bigint', 'conv_id client_id'),
  broadcasts: table('broadcasts', 'id text, ts bigint, conv_id text, to_everyone boolean, expires_ts bigint?', 'id'),
  notifications: table(
    'notifications',
    'client_id text, ts bigint, id text, permanent boolean, body jsonb',
    'client_id ts id',
  ),
  kicks: table(
    'kicks',
    'client_id text, ts bigint, reason text?',
    'client_id',
    sql`(client_id) DO UPDATE SET
      reason = CASE WHEN excluded.ts >= stored.ts THEN excluded.reason ELSE stored.reason END,
      ts = greatest(stored.ts, excluded.ts)`,
  ),
}

export function movedTable(name: MovedTableName): MovedTable {
  return tables[name]
}

/** Defines a table. @param columns `name type`, with a question mark for nullable columns */
function table(name: MovedTableName, columns: string, key: string, onConflict = STAYS): MovedTable {
  return {
    name,
    columns: columns.split(',').map((column) => {
      const [, named, type, optional] = /^\s*(\w+) ([a-z[\]]+)(\?)?$/.exec(column)!
      return { name: named!, type: type as MovedColumn['type'], optional: optional === '?' }
    }),
    key: key.split(' '),
    onConflict,
  }
}
