import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { typeOf } from '../../messaging/message.ts'
import { targetedThread } from '../../messaging/messages/threads.ts'
import type { MessagingTables } from '../../messaging/messaging-tables.ts'
import type { ObjectStore } from '../../objects/store.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import type { OnConflict } from '../batch.ts'

/** A message that has been sent elsewhere. */
export interface ImportedMessage {
  readonly id: string
  readonly convId: string
  /** Milliseconds. */
  readonly ts: number
  readonly sender: string
  /** To whom; the conversation itself, unless it is a system conversation. */
  readonly to: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  readonly ip: string | null
}

/** Characters of ids, and of a content: ten times of what may be sent, for what was allowed once. */
const MAX_ID = 300
const MAX_CONTENT = 64 * 1024
/** Milliseconds that the clock of the source may be ahead. */
const AHEAD = 24 * 60 * 60_000

/** Reads a message as histories show it (protocol/messaging, Message). @throws ApiError that names what cannot be taken */
export function parseMessage(text: string): ImportedMessage {
  const line = parseJson(text, 'The message')
  if (!isJsonObject(line)) throw errors.malformedJson('The message must be a JSON object.')
  const { timestamp, data, bin = false, to } = line
  const convId = idOf(line, 'conv-id')
  if (
    typeof timestamp !== 'number' ||
    !Number.isSafeInteger(timestamp) ||
    timestamp <= 0 ||
    timestamp > Date.now() + AHEAD
  )
    throw errors.incorrectType("'timestamp' must be a time in milliseconds that is over.")
  if (typeof data !== 'string' || data.length > MAX_CONTENT || data.includes('\u0000') || !data.isWellFormed())
    throw errors.incorrectType(`'data' must be a text of at most ${MAX_CONTENT} characters.`)
  const ip = line['from-ip']
  return {
    id: idOf(line, 'msg-id'),
    convId,
    ts: timestamp,
    sender: idOf(line, 'from'),
    to: typeof to === 'string' && to !== '' ? idOf(line, 'to') : convId,
    content: data,
    bin: bin === true,
    ip: typeof ip === 'string' && ip !== '' && ip.length <= 100 && !ip.includes('\u0000') ? ip : null,
  }
}

function idOf(line: JsonObject, name: string): string {
  const id = line[name]
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID || id.includes('\u0000') || !id.isWellFormed())
    throw errors.incorrectType(`'${name}' must be a text of 1 to ${MAX_ID} characters.`)
  return id
}

/**
 * Stores messages with their ids and times. What is here already stays, or takes the content that comes unless it was
 * changed here. Members of their conversations who have read nothing here yet have read all of them: nobody is to find his
 * whole history unread.
 * @returns how many are new, and how many have another content now
 */
export async function writeMessages(
  transaction: Executor,
  objects: Pick<ObjectStore, 'classes'>,
  tables: Pick<MessagingTables, 'messages' | 'threads' | 'reads'>,
  given: readonly ImportedMessage[],
  onConflict: OnConflict,
): Promise<{ created: number; updated: number }> {
  const conversations = objects.classes.get('_Conversation')!.table
  const convIds = [...new Set(given.map(({ convId }) => convId))].sort()
  const systems = await transaction.query(sql`
    SELECT id FROM ${conversations} WHERE id = ANY(${convIds}::text[]) AND data->'sys' = 'true'::jsonb`)
  const isSystem = new Set(systems.map(({ id }) => String(id)))
  const messages = withoutRepeated(given).map((message) => ({ ...message, thread: threadOf(message, isSystem) }))
  const rows = await transaction.query(sql`
    INSERT INTO ${tables.messages} AS stored (
      thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, type, ip)
    SELECT thread, ts, id, conv_id, sender, content, bin, FALSE, FALSE, type, ip
    FROM unnest(
      ${messages.map(({ thread }) => thread)}::text[], ${messages.map(({ ts }) => String(ts))}::bigint[],
      ${messages.map(({ id }) => id)}::text[], ${messages.map(({ convId }) => convId)}::text[],
      ${messages.map(({ sender }) => sender)}::text[], ${messages.map(({ content }) => content)}::text[],
      ${messages.map(({ bin }) => String(bin))}::boolean[],
      ${messages.map(({ content, bin }) => typeOf(content, bin)?.toString() ?? null)}::integer[],
      ${messages.map(({ ip }) => ip)}::text[]
    ) AS given (thread, ts, id, conv_id, sender, content, bin, type, ip)
    ORDER BY thread COLLATE "C", ts, id COLLATE "C"
    ON CONFLICT (thread, ts, id) DO UPDATE
    SET content = excluded.content, bin = excluded.bin, type = excluded.type
    WHERE ${onConflict !== 'skip'}::boolean AND stored.patched_at IS NULL
      AND (stored.content, stored.bin) IS DISTINCT FROM (excluded.content, excluded.bin)
    RETURNING xmax = 0 AS is_new`)
  await noteThreads(transaction, tables, messages)
  await transaction.query(sql`
    INSERT INTO ${tables.reads} (client_id, conv_id, read_ts, received_ts, changed_at)
    SELECT DISTINCT member, conversation.id, thread.last_ts, thread.last_ts, thread.last_ts
    FROM ${conversations} AS conversation
    JOIN ${tables.threads} AS thread ON thread.conv_id = conversation.id
    CROSS JOIN LATERAL jsonb_array_elements_text(
      CASE jsonb_typeof(conversation.data->'m') WHEN 'array' THEN conversation.data->'m' ELSE '[]' END) AS member
    WHERE conversation.id = ANY(${convIds}::text[])
      AND conversation.data->'sys' IS DISTINCT FROM 'true'::jsonb AND conversation.data->'tr' IS DISTINCT FROM 'true'::jsonb
    ORDER BY member, conversation.id
    ON CONFLICT (client_id, conv_id) DO NOTHING`)
  const created = rows.filter((row) => row.is_new === true).length
  return { created, updated: rows.length - created }
}

/** The times of the last messages go forward only. By the one before, nodes notice that they have missed some. */
async function noteThreads(
  transaction: Executor,
  { threads }: Pick<MessagingTables, 'threads'>,
  messages: readonly ImportedMessage[],
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${threads} AS thread (conv_id, last_ts, before_ts)
    SELECT conv_id, max(ts), 0
    FROM unnest(
      ${messages.map(({ convId }) => convId)}::text[], ${messages.map(({ ts }) => String(ts))}::bigint[]
    ) AS given (conv_id, ts)
    GROUP BY conv_id
    ORDER BY conv_id COLLATE "C"
    ON CONFLICT (conv_id) DO UPDATE
    SET before_ts = thread.last_ts, last_ts = excluded.last_ts
    WHERE thread.last_ts < excluded.last_ts`)
}

/** Messages of a system conversation that are for one client alone have a thread of their own. */
function threadOf({ convId, to }: ImportedMessage, isSystem: ReadonlySet<string>): string {
  return isSystem.has(convId) && to !== convId ? targetedThread(convId, to) : convId
}

function withoutRepeated(messages: readonly ImportedMessage[]): ImportedMessage[] {
  return [...new Map(messages.map((one) => [JSON.stringify([one.convId, one.to, one.ts, one.id]), one])).values()]
}
