import type { Outcome } from './api.ts'

/** What is left of a message that its sender has recalled (protocol/realtime, Edit and recall: patch). */
export const RECALLED = '{"_lctype":-127}'

/** A change of a message: the content that it is to have. */
interface Edit {
  readonly content: string
  outcome: Outcome
}

/** A message that somebody wanted to send, under a content that no other has. */
export interface Sent {
  readonly sender: string
  outcome: Outcome
  /** As it was acknowledged. */
  id: string | null
  ts: number | null
  /** Where it stands among what its sender sent, and on which of its connections it was acknowledged at the first try. */
  readonly place: number
  connection: number | null
  readonly edits: Edit[]
}

/** What a connection was told of one message. */
export interface Heard {
  readonly id: string
  readonly ts: number
  readonly content: string
}

/** What members were told of one conversation. */
export class MessageHistory {
  readonly sent = new Map<string, Sent>()
  /** What each connection was told, in the order in which it was. */
  readonly heard = new Map<string, Heard[]>()
  /** How far the reader has read: up to a time that others have been shown, and the furthest that it has asked for. */
  readonly marks = { shown: 0, asked: 0 }

  send(content: string, sender: string, place: number): Sent {
    const sent: Sent = { sender, outcome: 'unknown', id: null, ts: null, place, connection: null, edits: [] }
    this.sent.set(content, sent)
    return sent
  }

  hear(connection: string, heard: Heard): void {
    const all = this.heard.get(connection)
    if (all) all.push(heard)
    else this.heard.set(connection, [heard])
  }
}

/** A message as history shows it. */
interface StoredMessage {
  readonly id: string
  readonly ts: number
  readonly sender: string
  readonly content: string
}

export interface StoredConversation {
  /** From old to new, as the server gives it. */
  readonly messages: readonly StoredMessage[]
  /** What is unread for a member that was never there, and for one that has read some of it. */
  readonly unread: { readonly absent: number; readonly reader: number }
  /** Up to where the reader's mark stands; 0 when it has none. */
  readonly readAt: number
}

/** protocol/realtime, Limits */
const MOST_UNREAD = 100

/**
 * Compares a conversation with what its members were told.
 * @param reader the member that has marked messages as read
 */
export function differencesOfMessages(history: MessageHistory, stored: StoredConversation, reader: string): string[] {
  const { messages } = stored
  return [
    ...ofOrder(messages),
    ...ofSent(history, messages),
    ...ofSenders(history),
    ...ofHeard(history, messages),
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

/** What a message may say: what it was changed to last for certain, and what it may have been changed to since. */
function contentsAfter(content: string, edits: readonly Edit[]): string[] {
  const certain = edits.findLastIndex(({ outcome }) => outcome === 'done')
  const since = edits.slice(certain + 1).filter(({ outcome }) => outcome === 'unknown')
  return [certain < 0 ? content : edits[certain]!.content, ...since.map((edit) => edit.content)]
}

/** What a client sends over one connection keeps its order. */
function* ofSenders({ sent }: MessageHistory): Generator<string> {
  const last = new Map<string, Sent>()
  const inOrder = [...sent].sort(([, one], [, other]) => one.place - other.place)
  for (const [content, message] of inOrder) {
    if (message.outcome !== 'done' || message.connection === null) continue
    const key = `${message.sender} ${message.connection}`
    const before = last.get(key)
    if (before && before.ts! >= message.ts!) yield `the message '${content}' stands before one that was sent before it`
    last.set(key, message)
  }
}

/**
 * A connection is told each message once, as it is stored, and those of one sender in their order. Messages of several
 * senders may overtake each other while the servers cannot hear each other.
 */
function* ofHeard({ heard, sent }: MessageHistory, messages: readonly StoredMessage[]): Generator<string> {
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const [connection, items] of heard) {
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
  const all = Math.min(MOST_UNREAD, messages.length)
  if (unread.absent !== all) yield `a member that was never there has ${unread.absent} unread messages, not ${all}`
  const rest = messages.filter(({ ts, sender }) => ts > readAt && sender !== reader)
  const left = Math.min(MOST_UNREAD, rest.length)
  if (unread.reader !== left) yield `the reader has ${unread.reader} unread messages, not ${left}`
  if (readAt < marks.shown || readAt > marks.asked)
    yield `the reader has read up to ${readAt}, not from ${marks.shown} to ${marks.asked}`
}
