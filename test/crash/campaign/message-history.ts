import type { Outcome } from './api.ts'

/** The content of a message recalled by its sender (protocol/realtime, Edit and recall: patch). */
export const RECALLED = '{"_lctype":-127}'

/** An edit of a message with its new content. */
interface Edit {
  readonly content: string
  outcome: Outcome
}

/** A message to send, with unique content. */
export interface Sent {
  readonly sender: string
  outcome: Outcome
  /** The id and time of the acknowledgment. */
  id: string | null
  ts: number | null
  /** Its sequence among the messages of its sender, and the connection that acknowledged it at the first attempt. */
  readonly sequence: number
  connection: number | null
  readonly edits: Edit[]
}

/** A message received by a connection. */
export interface ReceivedMessage {
  readonly id: string
  readonly ts: number
  readonly content: string
}

/** The messages that members of one conversation sent and received. */
export class MessageHistory {
  readonly sent = new Map<string, Sent>()
  /** The messages received by each connection, in order of arrival. */
  readonly received = new Map<string, ReceivedMessage[]>()
  /** The read marks: the latest one shown to other members, and the latest one requested. */
  readonly marks = { shown: 0, asked: 0 }

  send(content: string, sender: string, sequence: number): Sent {
    const sent: Sent = { sender, outcome: 'unknown', id: null, ts: null, sequence, connection: null, edits: [] }
    this.sent.set(content, sent)
    return sent
  }

  receive(connection: string, received: ReceivedMessage): void {
    const all = this.received.get(connection)
    if (all) all.push(received)
    else this.received.set(connection, [received])
  }
}

/** A message in the history. */
interface StoredMessage {
  readonly id: string
  readonly ts: number
  readonly sender: string
  readonly content: string
}

export interface StoredConversation {
  /** From old to new, as returned by the server. */
  readonly messages: readonly StoredMessage[]
  /** The unread counts of a member that stayed offline and of one that has read some messages. */
  readonly unread: { readonly absent: number; readonly reader: number }
  /** The read mark of the reader; 0 when it has none. */
  readonly readAt: number
}

/** protocol/realtime, Limits */
const MAX_UNREAD = 100

/**
 * Compares a conversation with the acknowledgments and messages its members received.
 * @param reader the member that marks messages as read
 */
export function differencesOfMessages(history: MessageHistory, stored: StoredConversation, reader: string): string[] {
  const { messages } = stored
  return [
    ...ofOrder(messages),
    ...ofSent(history, messages),
    ...ofSenders(history),
    ...ofReceived(history, messages),
    ...ofUnread(history, stored, reader),
  ]
}

function* ofOrder(messages: readonly StoredMessage[]): Generator<string> {
  const ids = new Set<string>()
  let last = 0
  for (const { id, ts } of messages) {
    if (ts <= last) yield `the message ${id} has the time ${ts}, and the one before it ${last}`
    if (ids.has(id)) yield `the message ${id} is there twice`
    ids.add(id)
    last = ts
  }
}

function* ofSent({ sent }: MessageHistory, messages: readonly StoredMessage[]): Generator<string> {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const known = new Set<string>()
  for (const [content, { sender, outcome, id, ts, edits }] of sent) {
    const alike = messages.filter((message) => message.content === content)
    if (alike.length > 1) yield `the message '${content}' is there ${alike.length} times`
    for (const message of alike) known.add(message.id)
    if (outcome === 'refused' && alike.length > 0) yield `the message '${content}' was refused and is there`
    if (outcome !== 'done') continue
    known.add(id!)
    const message = byId.get(id!)
    if (!message) {
      yield `the message '${content}' was acknowledged as ${id} and is gone${alike[0] ? `, or is ${alike[0].id}` : ''}`
      continue
    }
    if (message.ts !== ts) yield `the message ${id} was acknowledged with the time ${ts} and has ${message.ts}`
    if (message.sender !== sender) yield `the message ${id} of ${sender} is one of ${message.sender}`
    const contents = contentsAfter(content, edits)
    if (!contents.includes(message.content)) yield `the message ${id} says '${message.content}', not ${contents}`
  }
  for (const { id, content } of messages) if (!known.has(id)) yield `nobody sent the message ${id} '${content}'`
}

/** Returns the contents a message may have: its last acknowledged edit, and later edits with an unknown outcome. */
function contentsAfter(content: string, edits: readonly Edit[]): string[] {
  const certain = edits.findLastIndex(({ outcome }) => outcome === 'done')
  const since = edits.slice(certain + 1).filter(({ outcome }) => outcome === 'unknown')
  return [certain < 0 ? content : edits[certain]!.content, ...since.map((edit) => edit.content)]
}

/** Checks that messages of a client over one connection keep their order. */
function* ofSenders({ sent }: MessageHistory): Generator<string> {
  const last = new Map<string, Sent>()
  const inOrder = [...sent].sort(([, one], [, other]) => one.sequence - other.sequence)
  for (const [content, message] of inOrder) {
    if (message.outcome !== 'done' || message.connection === null) continue
    const key = `${message.sender} ${message.connection}`
    const before = last.get(key)
    if (before && before.ts! >= message.ts!) yield `the message '${content}' stands before one that was sent before it`
    last.set(key, message)
  }
}

/**
 * Checks that a connection receives each message once, as stored, and those of one sender in order. Messages of several senders
 * can overtake each other while the servers are disconnected.
 */
function* ofReceived({ received, sent }: MessageHistory, messages: readonly StoredMessage[]): Generator<string> {
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const [connection, items] of received) {
    const [ids, last] = [new Set<string>(), new Map<string, number>()]
    for (const { id, ts, content } of items) {
      if (ids.has(id)) yield `${connection} was told ${id} twice`
      ids.add(id)
      const { sender, connection: from } = sent.get(content) ?? {}
      const origin = from === null || from === undefined ? id : `${sender} ${from}`
      if (ts <= (last.get(origin) ?? 0)) yield `${connection} was told ${id} of ${ts} behind a later one of ${origin}`
      last.set(origin, ts)
      const message = byId.get(id)
      if (!message) yield `${connection} was told ${id} '${content}', which is not there`
      else if (message.ts !== ts) yield `${connection} was told ${id} with the time ${ts}, and it has ${message.ts}`
      if (!sent.has(content)) yield `${connection} was told ${id} '${content}', which nobody sent`
    }
  }
}

function* ofUnread(
  { marks }: MessageHistory,
  { messages, unread, readAt }: StoredConversation,
  reader: string,
): Generator<string> {
  const all = Math.min(MAX_UNREAD, messages.length)
  if (unread.absent !== all) yield `a member that was never there has ${unread.absent} unread messages, not ${all}`
  const rest = messages.filter(({ ts, sender }) => ts > readAt && sender !== reader)
  const left = Math.min(MAX_UNREAD, rest.length)
  if (unread.reader !== left) yield `the reader has ${unread.reader} unread messages, not ${left}`
  if (readAt < marks.shown || readAt > marks.asked)
    yield `the reader has read up to ${readAt}, not from ${marks.shown} to ${marks.asked}`
}
