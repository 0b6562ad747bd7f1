import type pg from 'pg'
import { identifier, join, raw, type Sql, sql } from '../../database/sql.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import { MOVED_TABLES, type MovedTable, movedTable } from '../../messaging/moved-tables.ts'
import { CONVERSATION } from '../../messaging/records/conversation-class.ts'
import { batches } from '../rows.ts'
import type { Section } from './section.ts'

interface KeyedLine {
  readonly line: string
  readonly key: string
}

/** Returns the sections of messages of all conversations, read positions of members, and other messaging data outside objects. */
export function messagingSections(messaging: Messaging, client: pg.Client): Section[] {
  return MOVED_TABLES.map((name): Section => {
    const table = movedTable(name)
    return {
      name: `3 ${name}`,
      fileOf: (part) => `messaging-${name.toLowerCase()}.${part}.jsonl`,
      comment: { type: 'Messaging', of: name },
      optional: true,
      async *records(after) {
        const line = name === 'messages' ? messageLine(messaging) : rowLine(table)
        const statement = sql`
          SELECT ${line}::text AS line, json_build_array(${join(table.key.map(keyText), ', ')})::text AS key
          FROM ${messaging.tables[name]} AS stored
          WHERE ${after ? afterKey(table, after) : sql`TRUE`}
          ORDER BY ${join(
            table.key.map((column) => identifier(column)),
            ', ',
          )}`
        for await (const rows of batches<KeyedLine>(client, statement))
          yield { text: rows.map((row) => `${row.line}\n`).join(''), last: JSON.parse(rows.at(-1)!.key) }
      },
    }
  })
}

function keyText(column: string): Sql {
  return sql`${identifier(column)}::text`
}

function afterKey({ key, columns }: MovedTable, after: readonly string[]): Sql {
  const typeOf = (column: string) => columns.find(({ name }) => name === column)!.type
  const values = key.map((column, index) => sql`${after[index] ?? ''}::${raw(typeOf(column))}`)
  return sql`(${join(
    key.map((column) => identifier(column)),
    ', ',
  )}) > (${join(values, ', ')})`
}

function rowLine({ columns }: MovedTable): Sql {
  const members = columns.map(({ name }) => sql`'${raw(name)}', ${identifier(name)}`)
  return sql`json_build_object(${join(members, ', ')})`
}

/**
 * Returns the expression of a message as GET /1.2/rtm/messages shows it (protocol/messaging, Message), with additional members
 * that a move needs. Readers of that form ignore them.
 */
function messageLine({ objects }: Messaging): Sql {
  const conversations = objects.classes.get(CONVERSATION)?.table
  const isRoom = conversations
    ? sql`coalesce((SELECT data->'tr' = 'true'::jsonb FROM ${conversations} AS conversation WHERE conversation.id = conv_id), FALSE)`
    : sql`FALSE`
  return sql`(
    SELECT json_build_object(
      'msg-id', stored.id, 'conv-id', conv_id, 'timestamp', ts, 'from', sender,
      'to', CASE WHEN thread = conv_id THEN conv_id ELSE substr(thread, length(conv_id) + 2) END, 'data', content, 'bin', bin,
      'is-conv', NOT is_room, 'is-room', is_room, 'from-ip', coalesce(ip, ''),
      'thread', thread, 'token', token, 'mention-all', mention_all, 'mentions', mentions, 'receipt', receipt,
      'patched-at', patched_at, 'recalled', recalled)
    FROM (SELECT ${isRoom} AS is_room) AS kind)`
}
