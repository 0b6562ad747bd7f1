import type { Directory } from '../bus/directory.ts'
import { Wills } from '../messaging/messages/wills.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { Devices } from '../push/built-in-channel/built-in-channel.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { Connection } from './connection.ts'
import { Device } from './device.ts'
import { type Ending, leave } from './leaving.ts'
import type { LoginQueue } from './login-queue.ts'
import { DeferredNotifications, type Introduction, Session, type SessionContext } from './session.ts'

/** The parts of an app that its clients use. */
export interface App extends Pick<RunningApp, 'id' | 'messaging'> {
  readonly push: { readonly devices: Devices }
}

/**
 * The clients that are logged in on one connection, and the device whose push connection it is, if any. All belong to one app
 * (protocol/realtime, Connection life cycle).
 */
export class Clients {
  readonly app: App
  readonly #context: SessionContext
  readonly #logins: LoginQueue
  /** By client id, in the order of their opening. */
  readonly #sessions = new Map<string, Session>()
  /** Openings in progress, by client. Openings of one client run in sequence. */
  readonly #openings = new Map<string, Promise<void>>()
  /** How many sessions have been opened so far. */
  #count = 0
  #device: Device | undefined
  /** Resolves when work of previous devices has ended. */
  #deviceEnds: Promise<unknown> = Promise.resolve()
  #hasLiveQueries = false

  constructor(connection: Connection, app: App, directory: Directory, logins: LoginQueue) {
    const { messaging } = app
    this.app = app
    this.#logins = logins
    this.#context = {
      connection,
      messaging,
      directory,
      wills: new Wills(messaging),
      notifications: new DeferredNotifications(),
      isHere: (clientId) => this.#sessions.has(clientId),
    }
  }

  /**
   * Returns the session of a command: that of the client it names, else the earliest one that is still open (protocol/realtime,
   * What every server command must carry).
   */
  find(peerId: string | undefined): Session | undefined {
    return peerId ? this.#sessions.get(peerId) : this.#sessions.values().next().value
  }

  /**
   * Notes that a command names no client. If the connection has had only one client, notifications need not name it either. With
   * a second client, even one that has left, the id is required to tell them apart.
   */
  noteOmittedId(): void {
    if (this.#count === 1) this.find(undefined)?.omitId()
  }

  /** Does the same after the openings have ended that could be the session. */
  async findOpening(peerId: string | undefined): Promise<Session | undefined> {
    const openings = peerId ? [this.#openings.get(peerId)] : [...this.#openings.values()]
    await Promise.allSettled(openings)
    return this.find(peerId)
  }

  /**
   * Runs the opening of a client's session after its earlier ones, in the queue of all logins.
   * @throws MessagingError 4103 when the connection has too many clients
   */
  async opening(clientId: string, open: (context: SessionContext) => Promise<void>): Promise<void> {
    this.#checkRoom(clientId)
    const before = this.#openings.get(clientId) ?? Promise.resolve()
    const opening = before.catch(() => {}).then(() => this.#logins.logIn(() => open(this.#context)))
    this.#openings.set(clientId, opening)
    try {
      await opening
    } finally {
      if (this.#openings.get(clientId) === opening) this.#openings.delete(clientId)
    }
  }

  #checkRoom(clientId: string): void {
    const max = this.#context.messaging.limits.sessionsOfConnection
    if (max === 0 || this.#sessions.size + this.#openings.size < max) return
    const clientIds = new Set([...this.#sessions.keys(), ...this.#openings.keys()])
    if (clientIds.size >= max && !clientIds.has(clientId))
      throw messagingErrors.invalidLogin(`A connection can log in at most ${max} clients.`)
  }

  /** Creates a session that is not open yet. */
  prepare(introduction: Introduction): Session {
    return new Session(this.#context, introduction, (session, code, reason) => {
      void this.end(session, { kind: 'ended', code, reason })
    })
  }

  add(session: Session): void {
    this.#count++
    if (this.#sessions.size > 0) session.nameId()
    for (const other of this.#sessions.values()) other.nameId()
    this.#sessions.set(session.clientId, session)
  }

  async end(session: Session, ending: Ending): Promise<void> {
    if (!session.isOpen) return
    session.close()
    this.#sessions.delete(session.clientId)
    try {
      await leave(session, ending)
    } catch (error) {
      const { connection } = this.#context
      connection.log.error({ app: connection.appId, error }, 'cleanup after closed session failed')
    }
  }

  /** The device that uses this as its push connection. */
  get device(): Device | undefined {
    return this.#device
  }

  /**
   * Makes this the push connection of a device. A connection serves at most one device.
   * @param answer called before the device is sent any messages
   */
  serveDevice(installationId: string, answer: () => void): void {
    const { connection } = this.#context
    if (connection.closed) return
    if (this.#device?.installationId === installationId) {
      answer()
      return
    }
    this.leaveDevice()
    const { devices } = this.app.push
    const displaced = (device: Device) => this.#endDisplaced(device)
    this.#device = new Device({ connection, devices, installationId, displaced, log: connection.log })
    this.#device.begin(answer)
  }

  leaveDevice(): void {
    if (!this.#device) return
    this.#deviceEnds = Promise.all([this.#deviceEnds, this.#device.end()])
    this.#device = undefined
  }

  /** Notes that a live query client logs in. */
  noteLiveQueryLogin(): void {
    this.#hasLiveQueries = true
  }

  /** Ends all sessions of a closed connection. */
  async endAll(ending: Ending): Promise<void> {
    this.leaveDevice()
    await Promise.all([this.#deviceEnds, ...[...this.#sessions.values()].map((session) => this.end(session, ending))])
  }

  /**
   * Ends a device whose installation has logged in elsewhere. A connection with other clients is kept, without an error: clients
   * of messaging would treat an error without a request as one of the connection (protocol/realtime, What every server command
   * must carry).
   */
  #endDisplaced(device: Device): void {
    this.leaveDevice()
    if (this.#sessions.size > 0 || this.#openings.size > 0 || this.#hasLiveQueries) return
    device.endByLaterLogin()
    this.#context.connection.close(4101, 'DUPLICATED_LOGIN')
  }
}
