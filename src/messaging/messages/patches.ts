import type { Row } from '../../database/row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import type { Conversation } from '../conversation.ts'
import type { Patch } from '../events.ts'
import { type Message, RECALLED_CONTENT, typeOf } from '../message.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { Audience } from '../presence.ts'
import { findConversation } from '../records/conversation-state.ts'
import { isToEveryone } from './broadcasts.ts'
import type { Sender } from './draft.ts'
import { MESSAGE_COLUMNS, messageOf } from './history.ts'
import { callMessageUpdate } from './message-hooks.ts'
import { checkDraft } from './send-message.ts'
import { targetedThread } from './threads.ts'

/** Identifies a message by its conversation, its id and its time in milliseconds. */
export interface MessageRef {
  readonly convId: string
  readonly id: string
  readonly ts: number
  /** The receivers of a message to some subscribers of a system conversation; null for any other. */
  readonly receivers: readonly string[] | null
}

/** The new content of a message; null for a recall. */
export type NewContent = Pick<Message, 'content' | 'bin' | 'mentionAll' | 'mentions'> | null

/**
 * The client that changes a message. Without a session it is the app's back end, on behalf of the sender (protocol/messaging,
 * Messaging over REST).
 */
export type Editor = Pick<Sender, 'clientId' | 'session' | 'ip'>

export interface Edited {
  /** The time of the change that clients are sent: later than the message and than any earlier change. */
  readonly patchedAt: number
  /** The change by a hook, for the session that made the edit; null when no hook changed it. */
  readonly changed: Patch | null
}

/**
 * Edits or recalls a stored message and notifies its receivers (protocol/realtime, Edit and recall: patch).
 * @throws MessagingError 4303, 4403 not the sender, 4404 not found or recalled, 4405, 4406, 4407; ApiError 1, 107
 */
export async function editMessage(
  messaging: Messaging,
  editor: Editor,
  ref: MessageRef,
  change: NewContent,
): Promise<Edited> {
  const { notify, ...edited } = await apply(messaging, editor, { ref, change })
  notify()
  return edited
}

export interface Edit {
  readonly ref: MessageRef
  readonly change: NewContent
}

/**
 * Edits or recalls messages in sequence until one fails. Sends all notifications at the end, as the last step of the command (see
 * `DeferredNotifications` of realtime/session.ts).
 * @returns the edited messages, and the error that stopped it
 */
export async function editMessages(
  messaging: Messaging,
  editor: Editor,
  edits: readonly Edit[],
): Promise<{ readonly edited: readonly Edited[]; readonly failure: unknown }> {
  const applied: Applied[] = []
  let failure: unknown
  try {
    for (const edit of edits) applied.push(await apply(messaging, editor, edit))
  } catch (error) {
    failure = error
  }
  for (const { notify } of applied) notify()
  return { edited: applied, failure }
}

interface Applied extends Edited {
  /** Notifies the receivers of the message. */
  readonly notify: () => void
}

async function apply(messaging: Messaging, editor: Editor, { ref, change }: Edit): Promise<Applied> {
  checkAllowed(messaging, editor, change)
  const conversation = await findConversation(messaging, ref.convId)
  const current = await findMessage(messaging, ref, editor.clientId)
  const wanted = change ?? RECALLED
  const hooked = await callMessageUpdate(messaging, conversation, {
    ...wanted,
    id: ref.id,
    ts: ref.ts,
    sender: current.sender,
    ip: editor.ip,
    recall: change === null,
  })
  const next = { ...wanted, content: hooked.content, bin: hooked.bin }
  const message = await write(messaging, ref, editor.clientId, next, change === null)
  if (!message) {
    // A concurrent request has recalled or deleted it.
    const { patchedAt } = await findMessage(messaging, ref, editor.clientId)
    if (change === null && patchedAt !== null) return { patchedAt, changed: null, notify: () => {} }
    throw messagingErrors.messageNotFound()
  }
  const except = editor.session?.id ?? null
  const audience = await audienceOf(messaging, conversation, message, ref.receivers, hooked.receivers)
  return {
    patchedAt: message.patchedAt!,
    changed: hooked.change && { message, cause: hooked.change },
    notify: () =>
      messaging.presence.deliver(audience, { kind: 'patches', patches: [{ message, cause: null }] }, except),
  }
}

/**
 * Deletes a message from the server; clients are not notified (protocol/messaging, Messaging over REST).
 * @param sender null for any sender
 * @throws MessagingError 4403 when another client sent it, 4404
 */
export async function deleteMessage(messaging: Messaging, ref: MessageRef, sender: string | null): Promise<void> {
  const deleted = await messaging.database.query(sql`
    DELETE FROM ${messaging.tables.messages}
    WHERE ${keyOf(ref)} AND sender = coalesce(${sender}::text, sender)
    RETURNING id`)
  if (deleted.length === 0) await findMessage(messaging, ref, sender)
}

/**
 * Replaces the content of a stored message; clients are not notified (protocol/messaging, Interface 1.1).
 * @param sender null for any sender
 * @throws MessagingError 4403 when another client sent it, 4404 not found or recalled; ApiError 1, 107
 */
export async function replaceContent(
  messaging: Messaging,
  ref: MessageRef,
  sender: string | null,
  { content, bin }: Pick<Message, 'content' | 'bin'>,
): Promise<void> {
  checkDraft({ content, bin, mentions: [] })
  const replaced = await messaging.database.query(sql`
    UPDATE ${messaging.tables.messages}
    SET content = ${content}, bin = ${bin}::boolean, type = ${typeOf(content, bin)}::integer
    WHERE ${keyOf(ref)} AND sender = coalesce(${sender}::text, sender) AND NOT recalled
    RETURNING id`)
  if (replaced.length > 0) return
  await findMessage(messaging, ref, sender)
  throw messagingErrors.messageNotFound()
}

const RECALLED = { content: RECALLED_CONTENT, bin: false, mentionAll: false, mentions: [] } as const

/**
 * Checks whether edits or recalls are enabled. The settings apply to clients, not to the app's back end. @throws MessagingError
 * 4406, 4407
 */
function checkAllowed(messaging: Messaging, { session }: Editor, change: NewContent): void {
  if (change) checkDraft(change)
  if (!session) return
  const { allowEdit, allowRecall } = messaging.settings()
  if (change && !allowEdit) throw messagingErrors.editDisabled()
  if (!change && !allowRecall) throw messagingErrors.recallDisabled()
}

/** @throws MessagingError 4403, 4404 */
async function findMessage(messaging: Messaging, ref: MessageRef, sender: string | null): Promise<Message> {
  const [row] = await messaging.database.query(sql`
    SELECT ${MESSAGE_COLUMNS}
    FROM ${messaging.tables.messages}
    WHERE ${keyOf(ref)}
    LIMIT 1`)
  if (!row) throw messagingErrors.messageNotFound()
  const message = messageOf(row)
  if (sender !== null && message.sender !== sender) throw messagingErrors.ownershipRequired()
  return message
}

/** Writes the new content. @returns null when the sender has no such message, or it is recalled */
async function write(
  messaging: Messaging,
  ref: MessageRef,
  sender: string,
  { content, bin, mentionAll, mentions }: NonNullable<NewContent>,
  recalled: boolean,
): Promise<Message | null> {
  const rows: Row[] = await messaging.database.query(sql`
    UPDATE ${messaging.tables.messages}
    SET content = ${content},
        bin = ${bin}::boolean,
        type = ${typeOf(content, bin)}::integer,
        mention_all = ${mentionAll}::boolean,
        mentions = ${mentions.length > 0 ? mentions : null}::text[],
        recalled = ${recalled}::boolean,
        patched_at = greatest(
          (extract(epoch FROM statement_timestamp()) * 1000)::bigint, ts + 1, coalesce(patched_at, 0) + 1)
    WHERE ${keyOf(ref)} AND sender = ${sender} AND NOT recalled
    RETURNING ${MESSAGE_COLUMNS}`)
  return rows[0] ? messageOf(rows[0]) : null
}

function keyOf({ convId, id, ts, receivers }: MessageRef): Sql {
  const threads = receivers ? receivers.map((clientId) => targetedThread(convId, clientId)) : [convId]
  return sql`thread = ANY(${threads}::text[]) AND ts = ${ts}::bigint AND id = ${id}`
}

/** Returns the receivers of the message, and all sessions of the sender. */
async function audienceOf(
  messaging: Messaging,
  { id, kind, members }: Conversation,
  message: Message,
  receivers: readonly string[] | null,
  chosen: readonly string[] | null,
): Promise<Audience> {
  switch (kind) {
    case 'room':
      return { room: id }
    case 'system':
      if (receivers) return { clients: receivers }
      return (await isToEveryone(messaging, message.id)) ? { everyone: true } : { subscribers: id }
    default:
      return { clients: [...new Set([...(chosen ?? members), message.sender])] }
  }
}
