import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, member, parseJson } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import { ensureInboxType } from './inbox-types.ts'
import { parseInboxType } from './parse-status.ts'
import { INBOX_SIZE, type Statuses } from './statuses.ts'

/** An inbox exported from another app, with its entries. */
export interface ExportedInbox {
  readonly owner: string
  readonly inboxType: string
  /** Ids of the last status and of the last one that counts as read. */
  readonly lastId: number
  readonly readId: number
  /** Message id, status id, and whether the owner has removed it. */
  readonly entries: readonly (readonly [number, string, boolean])[]
}

/** Maximum message id: ids have four bytes, and later ones must fit too. */
const MAX_NUMBER = 2 ** 30

/**
 * Parses a line of the inboxes in an export (docs/moving-in-reference.md, Files of an export).
 * @throws ApiError that names the invalid member
 */
export function parseExportedInbox(text: string): ExportedInbox {
  const line = parseJson(text, notice('theLine'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  const lastId = numberOf(member(line, 'lastId'), 0, MAX_NUMBER, 'lastId')
  const readId = numberOf(member(line, 'readId'), 0, lastId, 'readId')
  const entries = member(line, 'entries')
  if (!Array.isArray(entries) || entries.length > INBOX_SIZE)
    throw errors.incorrectType(notice('inboxEntriesForm', { maximum: INBOX_SIZE }))
  return {
    owner: checkObjectId(member(line, 'owner')),
    inboxType: parseInboxType(member(line, 'inboxType')),
    lastId,
    readId,
    entries: entries.map((entry: Json) => entryOf(entry, lastId)),
  }
}

function entryOf(entry: Json, lastId: number): readonly [number, string, boolean] {
  if (!Array.isArray(entry) || entry.length !== 3 || typeof entry[2] !== 'boolean')
    throw errors.incorrectType(notice('inboxEntryForm'))
  return [
    numberOf(entry[0], Math.max(0, lastId - INBOX_SIZE + 1), lastId, 'entries'),
    checkObjectId(entry[1]),
    entry[2],
  ]
}

function numberOf(value: Json | undefined, min: number, max: number, called: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw errors.incorrectType(notice('wholeNumbersForm', { name: called, minimum: min, maximum: max }))
}

/**
 * Creates an inbox as exported from another app. An existing inbox is unchanged.
 * @returns whether it was created
 * @throws ApiError 154 above the maximum of inbox types; nothing is written then
 */
export async function restoreInbox(
  statuses: Pick<Statuses, 'tables'>,
  transaction: Executor,
  { owner, inboxType, lastId, readId, entries }: ExportedInbox,
): Promise<boolean> {
  const { tables } = statuses
  await ensureInboxType(statuses, transaction, inboxType)
  const made = await transaction.query(sql`
    WITH made AS (
      INSERT INTO ${tables.inboxes} (owner_id, inbox_type, last_id, read_id)
      VALUES (${owner}, ${inboxType}, ${lastId}::integer, ${readId}::integer)
      ON CONFLICT DO NOTHING
      RETURNING owner_id, inbox_type
    ),
    filled AS (
      INSERT INTO ${tables.entries} (owner_id, inbox_type, message_id, status_id, removed)
      SELECT owner_id, inbox_type, (entry->>0)::integer, entry->>1, (entry->>2)::boolean
      FROM made, jsonb_array_elements(${JSON.stringify(entries)}::jsonb) AS entry
      ON CONFLICT DO NOTHING
    )
    SELECT FROM made`)
  return made.length > 0
}
