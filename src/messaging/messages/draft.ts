import type { Message } from '../message.ts'
import type { ClientSession } from '../presence.ts'

/** A message to send. */
export interface Draft {
  readonly convId: string
  /** Text, or base64 of bytes when `bin`. */
  readonly content: string
  readonly bin: boolean
  /** Sent to online clients only: neither stored nor counted. */
  readonly transient: boolean
  readonly receipt: boolean
  readonly token: string | null
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  /** JSON text for the push to absent members. */
  readonly pushData: string | null
  /** Lowers the priority of transient messages and of messages in chat rooms (protocol/messaging, Send message). */
  readonly lowPriority?: boolean
}

export interface Sender {
  readonly clientId: string
  /**
   * The session that sends; null for the app's back end, which may send on behalf of any client (protocol/messaging, Messaging
   * over REST).
   */
  readonly session: Pick<ClientSession, 'id'> | null
  readonly ip: string | null
  /** Whether other sessions of the sender receive the message too. */
  readonly sync: boolean
}

export interface Sent {
  readonly id: string
  readonly ts: number
  /** The content after a change by a hook; null when unchanged. */
  readonly changed: { readonly message: Message; readonly code: number; readonly reason: string } | null
}
