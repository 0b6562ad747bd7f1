import { createHash } from 'node:crypto'
import { boolean, entry, text } from '../../../database/decode-row.ts'
import type { Executor } from '../../../database/pool.ts'
import { type Sql, sql } from '../../../database/sql.ts'
import { type ApiError, errors } from '../../../errors.ts'
import { isTemporaryId } from '../../../messaging/conversation.ts'
import { targetedThread } from '../../../messaging/messages/threads.ts'
import { type Notice, notice } from '../../../notices/notice.ts'
import type { GivenMessage } from './message-lines.ts'
import type { MessagingRow } from './messaging-rows.ts'

/** A message with its conversation and its threads. */
export interface ThreadedMessage {
  /** One row for each thread that contains it. */
  readonly rows: readonly MessagingRow[]
  /** Whether its export includes read marks. */
  readonly hasMarks: boolean
}

const [CONVERSATION, SENDER] = [text('conv_id'), text('sender')]

/** Whether each existing conversation is a system conversation, by id. */
type Systems = ReadonlyMap<string, boolean>

/** The padding after the id of a conversation in older histories. */
const PADDING = '00000000'
const DIGEST = /^[0-9a-f]{32}$/

/**
 * Determines the threads of messages (protocol/moving-in, Chat history). A message to one subscriber of a system conversation
 * must never be stored where all subscribers read it.
 * @param conversations the table of the class
 * @returns for each message its rows, or why there are none
 */
export async function findThreads(
  executor: Executor,
  conversations: Sql,
  given: readonly GivenMessage[],
): Promise<(ThreadedMessage | ApiError)[]> {
  const unsaid = given.filter(({ row }) => row.thread === null)
  const systems = await systemsAmong(executor, conversations, unsaid)
  const digests = await digestsOf(executor, conversations, unsaid, systems)
  return given.map(({ row, to, hasMarks }) => {
    if (row.thread !== null) return { rows: [row], hasMarks }
    const rows: MessagingRow[] = []
    for (const receiver of to) {
      const thread = threadOf(CONVERSATION.read(row.conv_id), receiver, SENDER.read(row.sender), systems, digests)
      if ('reason' in thread) return errors.badArgument(thread.reason)
      rows.push({ ...row, conv_id: thread.convId, thread: thread.thread })
    }
    return { rows, hasMarks }
  })
}

type ThreadLookup = { readonly convId: string; readonly thread: string } | { readonly reason: Notice }

function threadOf(
  id: string,
  to: string,
  sender: string,
  systems: Systems,
  digests: ReadonlyMap<string, string>,
): ThreadLookup {
  const isSystem = systems.get(id)
  if (isSystem && to !== id) return toOne(id, to)
  if (isSystem !== undefined || to === id || isTemporaryId(id)) return { convId: id, thread: id }
  if (id === to + PADDING) return { convId: to, thread: to }
  if (systems.get(to) === false) return { convId: to, thread: to }
  if (id === digestOf(to, sender)) return toOne(to, sender)
  const convId = digests.get(id)
  if (convId !== undefined) return toOne(convId, to)
  return { reason: notice('conversationMissing') }
}

function toOne(convId: string, clientId: string): ThreadLookup {
  return { convId, thread: targetedThread(convId, clientId) }
}

async function systemsAmong(
  executor: Executor,
  conversations: Sql,
  messages: readonly GivenMessage[],
): Promise<Systems> {
  const ids = [...new Set(messages.flatMap(({ row, to }) => [CONVERSATION.read(row.conv_id), ...to]))]
  if (ids.length === 0) return new Map()
  const rows = await executor.query(sql`
    SELECT id, data->'sys' IS NOT DISTINCT FROM 'true'::jsonb AS is_system
    FROM ${conversations}
    WHERE id = ANY(${ids}::text[])`)
  return new Map(rows.map(entry(text('id'), boolean('is_system'))))
}

/** Returns the system conversations, by the digests with subscribers that messages have in place of the conversation id. */
async function digestsOf(
  executor: Executor,
  conversations: Sql,
  messages: readonly GivenMessage[],
  systems: Systems,
): Promise<ReadonlyMap<string, string>> {
  const digests = messages
    .flatMap(({ row, to }) => to.map((receiver) => ({ digest: CONVERSATION.read(row.conv_id), to: receiver })))
    .filter(({ digest, to }) => DIGEST.test(digest) && !systems.has(digest) && !systems.has(to) && to !== digest)
  if (digests.length === 0) return new Map()
  const rows = await executor.query(sql`
    SELECT DISTINCT conversation.id, given.digest
    FROM ${conversations} AS conversation
    JOIN unnest(${digests.map(({ digest }) => digest)}::text[], ${digests.map(({ to }) => to)}::text[])
      AS given (digest, client_id) ON md5(conversation.id || ':' || given.client_id) = given.digest
    WHERE conversation.data->'sys' = 'true'::jsonb`)
  return new Map(rows.map(entry(text('digest'), text('id'))))
}

function digestOf(convId: string, clientId: string): string {
  return createHash('md5').update(`${convId}:${clientId}`).digest('hex')
}
