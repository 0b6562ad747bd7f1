import { boolean, text } from '../../../database/decode-row.ts'
import { errors } from '../../../errors.ts'
import { RECALLED_TYPE, typeOf } from '../../../messaging/message.ts'
import { movedTable } from '../../../messaging/moved-tables.ts'
import { notice } from '../../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../values/json.ts'
import { checkedValue, type MessagingRow } from './messaging-rows.ts'

/** A message that was sent at the source. */
export interface GivenMessage {
  /** Its row. The thread is null when the line does not specify it. */
  readonly row: MessagingRow
  /** The receivers: the conversation, or subscribers of a system conversation. */
  readonly to: readonly string[]
  /** Whether its export includes read marks. */
  readonly hasMarks: boolean
}

/** The names of columns in a line, where they differ. */
const NAMES: { readonly [column: string]: string } = {
  ts: 'timestamp',
  id: 'msg-id',
  conv_id: 'conv-id',
  sender: 'from',
  content: 'data',
  ip: 'from-ip',
  mention_all: 'mention-all',
  patched_at: 'patched-at',
}

const THREAD = { name: 'thread', type: 'text', optional: true } as const
const TO = { name: 'to', type: 'text', optional: true } as const
/** The columns that are read from a line; the other columns are derived. */
const READ = movedTable('messages')
  .columns.filter(({ name }) => !['thread', 'type', 'recalled'].includes(name))
  .map((column) => ({ column, called: NAMES[column.name] ?? column.name }))
const MUST_NOT_BE_EMPTY = ['msg-id', 'conv-id', 'from'] as const
const TO_CLIENTS = { name: 'to-clients', type: 'text[]', optional: true } as const
const [CONTENT, BINARY] = [text('content'), boolean('bin')]

/** Defaults of columns that histories of the hosted service omit. */
const UNSAID: JsonObject = { bin: false, mention_all: false, receipt: false }

/**
 * Parses a message: an item of a history, new or old (protocol/moving-in, Chat history), or an item with the additional members
 * of our own exports (docs/moving-in-reference.md, Files of an export).
 * @throws ApiError that names the invalid member
 */
export function parseMessage(text: string): GivenMessage {
  const line = parseJson(text, notice('theMessage'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('messageNotObject'))
  const row: { [column: string]: Json } = { thread: checkedValue(THREAD, emptyAsNull(line.thread), 'thread') }
  for (const { column, called } of READ) {
    const value = column.optional ? emptyAsNull(line[called]) : (line[called] ?? UNSAID[column.name])
    row[column.name] = checkedValue(column, value, called)
  }
  row.type = typeOf(CONTENT.read(row.content), BINARY.read(row.bin))
  row.recalled = line.recalled === true || row.type === RECALLED_TYPE
  for (const name of MUST_NOT_BE_EMPTY)
    if (line[name] === '') throw errors.incorrectType(notice('mustNotBeEmpty', { name }))
  const to = checkedValue(TO, emptyAsNull(line.to), 'to')
  const { thread, conv_id: convId } = row as { thread: string | null; conv_id: string }
  if (thread !== null && thread !== convId && !thread.startsWith(`${convId}:`))
    throw errors.incorrectType(notice('threadForm'))
  const clients = checkedValue(TO_CLIENTS, line['to-clients'], 'to-clients') as readonly string[] | null
  const receivers = clients && clients.length > 0 ? clients : [String(to ?? convId)]
  // A message to the conversation itself is always in the conversation's own thread.
  if (thread === null && receivers.length === 1 && receivers[0] === convId) row.thread = convId
  return { row, to: receivers, hasMarks: thread !== null }
}

function emptyAsNull(value: Json | undefined): Json | undefined {
  return value === '' ? null : value
}
