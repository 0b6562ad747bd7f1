import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Directory } from '../bus/directory.ts'
import type { SessionEvent } from '../messaging/events.ts'
import { applyMembershipEvent } from '../messaging/members/rooms.ts'
import type { Wills } from '../messaging/messages/wills.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { ClientSession } from '../messaging/presence.ts'
import { OfflineMessages } from '../messaging/reading/offline-messages.ts'
import { UnreadAtLogin } from '../messaging/reading/unread-at-login.ts'
import { sharedPushOf } from '../realtime-protocol/pushes.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { Principal } from '../scheduling/principal.ts'
import { Sequence } from '../scheduling/sequence.ts'
import type { Connection } from './connection.ts'
import { SessionPrincipal } from './session-principal.ts'

/** Capabilities of a client, as bits of `configBitmap` (protocol/realtime, configBitmap). */
const PATCHES = 0x01
const TEMPORARY_CONVERSATIONS = 0x02
const BOUND_DEVICE = 0x04
const PARTIAL_SUCCESS = 0x20
const OMITTED_ID = 0x80

/** Milliseconds between two checks whether a client has read what it was sent. */
const READ_INTERVAL_MS = 50

/** The capabilities of clients that send none: those that have sent them before, and current ones. */
const EVERYTHING = PATCHES | TEMPORARY_CONVERSATIONS | PARTIAL_SUCCESS

/** The data of a client that opens a session. */
export interface Introduction {
  readonly clientId: string
  /** null for none. */
  readonly tag: string | null
  readonly deviceId: string | null
  readonly capabilities: number | undefined
  /** Whether `deviceId` is the token for push notifications to the device. */
  readonly hasPushToken: boolean
}

/** The context that the sessions of one connection share. */
export interface SessionContext {
  readonly connection: Connection
  readonly messaging: Messaging
  readonly directory: Directory
  readonly wills: Wills
  readonly notifications: DeferredNotifications
  /** Returns whether a client is logged in on the connection. */
  readonly isHere: (clientId: string) => boolean
}

/** A response to a client without `i` and `peerId`, which follow from the request. */
export type Answer = Omit<GenericCommand, 'i' | 'peerId'>

/** Called when the server ends a session, with a code and its name. */
type EndListener = (session: Session, code: number, reason: string) => void

/** One client that is logged in on a connection. */
export class Session implements ClientSession {
  /** Compared for every receiver of a message: a flat string compares faster than a UUID, which is a concatenated one. */
  readonly id = randomUUID().replaceAll('-', '')
  readonly openedAt = Date.now()
  readonly clientId: string
  readonly tag: string | null
  readonly connection: Connection
  readonly messaging: Messaging
  readonly directory: Directory
  readonly wills: Wills
  /** For sessions of version 1 only; null for the others. */
  readonly offlineMessages: OfflineMessages | null
  /** For sessions of version 3 only; null for the others. */
  readonly unread: UnreadAtLogin | null
  readonly #capabilities: number
  readonly #hasPushToken: boolean
  readonly #endListener: EndListener
  readonly #context: SessionContext
  #deviceId: string | null
  #queryAnswers: Sequence | undefined
  #isOpen = true
  /** Whether there has been no other client on its connection. */
  #isAlone = true
  /** The id in the messages that it is sent; null when it needs none. */
  #peerId: string | null

  /** @param endListener called when the server ends the session */
  constructor(context: SessionContext, introduction: Introduction, endListener: EndListener) {
    const { clientId, tag, deviceId, capabilities, hasPushToken } = introduction
    this.#hasPushToken = hasPushToken
    this.clientId = clientId
    this.#peerId = clientId
    this.tag = tag
    this.connection = context.connection
    this.messaging = context.messaging
    this.directory = context.directory
    this.wills = context.wills
    this.#context = context
    this.#deviceId = deviceId
    this.#capabilities = capabilities ?? EVERYTHING
    this.#endListener = endListener
    this.offlineMessages =
      this.version === 1 ? new OfflineMessages(this.messaging, this, () => this.#untilRead()) : null
    this.unread = this.version === 3 ? new UnreadAtLogin(this.messaging, this) : null
  }

  get version(): 1 | 3 {
    return this.connection.version
  }

  /** The principal charged for the requests of the client. */
  get principal(): Principal {
    return new SessionPrincipal(this.messaging.appId, this.clientId, this.connection)
  }

  /**
   * The order of responses to concurrent queries: SDKs overwrite their state with a response, so one that was read before a
   * change must not arrive after a later one. Created for the first query, which most clients never send.
   */
  get queryAnswers(): Sequence {
    this.#queryAnswers ??= new Sequence()
    return this.#queryAnswers
  }

  get deviceId(): string | null {
    return this.#deviceId
  }

  /** Sets the new token of the device (protocol/realtime, Other session commands, report). */
  changeDevice(deviceId: string): void {
    this.#deviceId = deviceId
  }

  /** Whether missed messages are to be pushed to its device (protocol/push, Life of an installation). */
  get bindsDevice(): boolean {
    return this.#hasPushToken || (this.#capabilities & BOUND_DEVICE) !== 0
  }

  /** Whether changes of members may succeed partially and report the failures; for other clients any failure is an error. */
  get takesPartialSuccess(): boolean {
    return (this.#capabilities & PARTIAL_SUCCESS) !== 0
  }

  /**
   * Omits the id from messages, which are then the same bytes for all receivers. Called when the client has omitted it itself, as
   * clients do that are alone on their connection (protocol/realtime, What every server command must carry; protocol/realtime,
   * configBitmap).
   */
  omitId(): void {
    if ((this.#capabilities & OMITTED_ID) !== 0) this.#peerId = null
  }

  /** Includes the id in messages, because another client logs in on the connection. */
  nameId(): void {
    this.#isAlone = false
    this.#peerId = this.clientId
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves with true when the client has read most of what its connection was sent; with false when it has disconnected. */
  async #untilRead(): Promise<boolean> {
    while (this.#isOpen && !this.connection.closed && this.connection.hasBacklog) await sleep(READ_INTERVAL_MS)
    return this.#isOpen && !this.connection.closed
  }

  /** Stops all notifications of the session. */
  close(): void {
    this.#isOpen = false
  }

  push(event: SessionEvent): void {
    if (!this.#isOpen) return
    if (event.kind === 'conversation') applyMembershipEvent(this.messaging.presence, this, event)
    if (!this.#understands(event)) return
    const { notifications } = this.#context
    // The end of the session is its last notification and must not be delayed.
    if (event.kind === 'closed' || !notifications.mustWait(this.#hasCaused(event))) this.#send(event)
    else notifications.add(() => this.#send(event))
    if (this.unread?.isCounting) this.unread.observe(event)
  }

  /** Returns whether this client, here or elsewhere, or another client of the connection caused an event by a command. */
  #hasCaused(event: SessionEvent): boolean {
    switch (event.kind) {
      case 'conversation':
        return event.by !== null && this.#isOwn(event.by)
      case 'message':
        return this.#isOwn(event.message.sender)
      case 'patches':
        return event.patches.some(({ message }) => this.#isOwn(message.sender))
      // The commands that cause these have no response.
      case 'receipt':
      case 'unread':
      case 'closed':
        return false
    }
  }

  #isOwn(clientId: string): boolean {
    // Called for every receiver of a message; almost all clients are alone on their connection.
    return clientId === this.clientId || (!this.#isAlone && this.#context.isHere(clientId))
  }

  #send(event: SessionEvent): void {
    if (!this.#isOpen) return
    if (event.kind !== 'message') this.connection.sendShared(sharedPushOf(event), this.clientId)
    else if (!event.spare || !this.connection.hasBacklog) this.connection.sendShared(sharedPushOf(event), this.#peerId)
  }

  end(code: number, reason: string): void {
    this.push({ kind: 'closed', code, reason })
    this.#endListener(this, code, reason)
  }

  #understands(event: SessionEvent): boolean {
    switch (event.kind) {
      case 'unread':
        return this.version === 3
      case 'patches':
        return (this.#capabilities & PATCHES) !== 0
      case 'message':
      case 'conversation':
        return event.conversation !== 'temporary' || (this.#capabilities & TEMPORARY_CONVERSATIONS) !== 0
      default:
        return true
    }
  }
}

/**
 * Delays notifications of the clients of one connection that were caused by a command of one of them, or of the same client on
 * another connection. They are written in a later iteration of the event loop than the response to the command: many clients read
 * several frames at once, and handle a notification that arrives together with the response before the code that awaits the
 * response continues.
 *
 * Commands notify as their last asynchronous step, so the response is sent in the same iteration, and written at its end. Other
 * notifications of the connection wait as well, to keep their order.
 */
export class DeferredNotifications {
  #current: (() => void)[] = []
  #previous: (() => void)[] = []
  #isScheduled = false

  /**
   * Returns whether a notification must wait. @param isOwn whether a client of the connection, or the same client elsewhere,
   * caused it
   */
  mustWait(isOwn: boolean): boolean {
    return isOwn || this.#isScheduled
  }

  add(send: () => void): void {
    this.#current.push(send)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#endIteration())
  }

  #endIteration(): void {
    const due = this.#previous
    this.#previous = this.#current
    this.#current = []
    this.#isScheduled = false
    if (this.#previous.length > 0) this.#schedule()
    for (const send of due) send()
  }
}
