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
import { askMessageUpdate } from './message-hooks.ts'
import { checkDraft } from './send-message.ts'
import { targetedThread } from './threads.ts'

/** Which message: its conversation, its id and the time at which it was sent, in milliseconds. */
export interface MessageRef {
  readonly convId: string
  readonly id: string
  readonly ts: number
  /** For a message to some subscribers of a system conversation alone: to whom; null for any other. */
  readonly receivers: readonly string[] | null
}

/** What becomes of a message; null when it is recalled. */
export type NewContent = Pick<Message, 'content' | 'bin' | 'mentionAll' | 'mentions'> | null

/**
 * Who changes a message. Without a session it is the app's back end, in the name of the message's sender
 * (protocol/messaging, Messaging over REST).
 */
export type Editor = Pick<Sender, 'clientId' | 'session' | 'ip'>

export interface Edited {
  /** When it was changed, as clients are told: later than it was sent, and later than any earlier change. */
  readonly patchedAt: number
  /** What the session that made the change is told: a hook has made something else of it. null when it has not. */
  readonly changed: Patch | null
}

/**
 * Edits or recalls a stored message, and tells everyone it concerns (protocol/realtime, Edit and recall: patch).
 * @throws MessagingError 4303, 4403 not its sender, 4404 not there or recalled, 4405, 4406, 4407; ApiError 1, 107
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
 * Edits or recalls messages one after the other, until one fails. Notifies of all of them at the end, as the last step of
 * the command (see `DeferredNotifications` of realtime/session.ts).
 * @returns what was edited, and why it stopped
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
  /** Notifies the clients that the message concerns. */
  readonly notify: () => void
}

async function apply(messaging: Messaging, editor: Editor, { ref, change }: Edit): Promise<Applied> {
  checkAllowed(messaging, editor, change)
  const conversation = await findConversation(messaging, ref.convId)
  const current = await findMessage(messaging, ref, editor.clientId)
  const wanted = change ?? RECALLED
  const judged = await askMessageUpdate(messaging, conversation, {
    ...wanted,
    id: ref.id,
    ts: ref.ts,
    sender: current.sender,
    ip: editor.ip,
    recall: change === null,
  })
  const next = { ...wanted, content: judged.content, bin: judged.bin }
  const message = await write(messaging, ref, editor.clientId, next, change === null)
  if (!message) {
    // Somebody was faster: it is recalled or gone.
    const { patchedAt } = await findMessage(messaging, ref, editor.clientId)
    if (change === null && patchedAt !== null) return { patchedAt, changed: null, notify: () => {} }
    throw messagingErrors.messageNotFound()
  }
  const except = editor.session?.id ?? null
  const audience = await audienceOf(messaging, conversation, message, ref.receivers, judged.receivers)
  return {
    patchedAt: message.patchedAt!,
    changed: judged.verdict && { message, cause: judged.verdict },
    notify: () =>
      messaging.presence.deliver(audience, { kind: 'patches', patches: [{ message, cause: null }] }, except),
  }
}

/**
 * Deletes a message from the server; clients are not told (protocol/messaging, Messaging over REST).
 * @param sender null: any sender
 * @throws MessagingError 4403 when it is somebody else's, 4404
 */
export async function deleteMessage(messaging: Messaging, ref: MessageRef, sender: string | null): Promise<void> {
  const deleted = await messaging.database.query(sql`
    DELETE FROM ${messaging.tables.messages}
    WHERE ${placeOf(ref)} AND sender = coalesce(${sender}::text, sender)
    RETURNING id`)
  if (deleted.length === 0) await findMessage(messaging, ref, sender)
}

/**
 * Replaces the content of a stored message; clients are not told (protocol/messaging, Interface 1.1).
 * @param sender null: any sender
 * @throws MessagingError 4403 when it is somebody else's, 4404 not there or recalled; ApiError 1, 107
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
    WHERE ${placeOf(ref)} AND sender = coalesce(${sender}::text, sender) AND NOT recalled
    RETURNING id`)
  if (replaced.length > 0) return
  await findMessage(messaging, ref, sender)
  throw messagingErrors.messageNotFound()
}

const RECALLED = { content: RECALLED_CONTENT, bin: false, mentionAll: false, mentions: [] } as const

/** Switched off for clients only: the app's back end may do it all the same. @throws MessagingError 4406, 4407 */
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
    WHERE ${placeOf(ref)}
    LIMIT 1`)
  if (!row) throw messagingErrors.messageNotFound()
  const message = messageOf(row)
  if (sender !== null && message.sender !== sender) throw messagingErrors.ownershipRequired()
  return message
}

/** @returns null when there is no such message of this sender, or it is recalled */
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
    WHERE ${placeOf(ref)} AND sender = ${sender} AND NOT recalled
    RETURNING ${MESSAGE_COLUMNS}`)
  return rows[0] ? messageOf(rows[0]) : null
}

function placeOf({ convId, id, ts, receivers }: MessageRef): Sql {
  const threads = receivers ? receivers.map((clientId) => targetedThread(convId, clientId)) : [convId]
  return sql`thread = ANY(${threads}::text[]) AND ts = ${ts}::bigint AND id = ${id}`
}

/** All who received the message, and all sessions of the sender. */
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
