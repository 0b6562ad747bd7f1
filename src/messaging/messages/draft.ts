import type { Message } from '../message.ts'
import type { ClientSession } from '../presence.ts'

/** A message as it is to be sent. */
export interface Draft {
  readonly convId: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  /** Only for those who are there now: neither stored nor counted. */
  readonly transient: boolean
  readonly receipt: boolean
  readonly token: string | null
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** JSON text for the push to absent members. */
  readonly pushData: string | null
  /** It counts for transient messages and in chat rooms (protocol/messaging, Send message). */
  readonly lowPriority?: boolean
}

export interface Sender {
  readonly clientId: string
  /**
   * The session that sends; null for the app's back end, which may send in anybody's name (protocol/messaging,
   * Messaging over REST).
   */
  readonly session: Pick<ClientSession, 'id'> | null
  readonly ip: string | null
  /** Other sessions of the sender are told too. */
  readonly sync: boolean
}

export interface Sent {
  readonly id: string
  readonly ts: number
  /** What a hook has made of the content; null when it is as it was sent. */
  readonly changed: { readonly message: Message; readonly code: number; readonly reason: string } | null
}
