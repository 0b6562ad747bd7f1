import type pg from 'pg'
import { sql } from '../../database/sql.ts'
import { INBOX_SIZE, type StatusTables } from '../../social/statuses/statuses.ts'
import { batches } from '../rows.ts'
import type { Section } from './section.ts'

interface InboxRow {
  readonly owner_id: string
  readonly inbox_type: string
  readonly line: string
}

/** Returns the section of status inboxes, each with its entries and its read position. */
export function inboxSection({ inboxes, entries }: StatusTables, client: pg.Client): Section {
  return {
    name: '7 inboxes',
    fileOf: (part) => `social-inboxes.${part}.jsonl`,
    comment: { type: 'Inboxes' },
    optional: true,
    async *records(after) {
      const statement = sql`
        SELECT owner_id, inbox_type, json_build_object(
          'owner', owner_id, 'inboxType', inbox_type, 'lastId', last_id, 'readId', read_id, 'entries', (
            SELECT coalesce(json_agg(json_build_array(message_id, status_id, removed) ORDER BY message_id), '[]')
            FROM ${entries} AS entry
            WHERE entry.owner_id = inbox.owner_id AND entry.inbox_type = inbox.inbox_type
              AND message_id > last_id - ${INBOX_SIZE}::integer
          )
        )::text AS line
        FROM ${inboxes} AS inbox
        WHERE ${after ? sql`(owner_id, inbox_type) > (${after[0]!}, ${after[1]!})` : sql`TRUE`}
        ORDER BY owner_id, inbox_type`
      for await (const rows of batches<InboxRow>(client, statement)) {
        const { owner_id, inbox_type } = rows.at(-1)!
        yield { text: rows.map(({ line }) => `${line}\n`).join(''), last: [owner_id, inbox_type] }
      }
    },
  }
}
