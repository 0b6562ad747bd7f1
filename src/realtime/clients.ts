import type { Directory } from '../bus/directory.ts'
import { Wills } from '../messaging/messages/wills.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { Devices } from '../push/own-channel/own-channel.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { Connection } from './connection.ts'
import { Device } from './device.ts'
import { type Ending, leave } from './leaving.ts'
import type { LoginQueue } from './login-queue.ts'
import { DeferredNotifications, type Introduction, Session, type SessionContext } from './session.ts'

/** An app, as far as its clients are concerned. */
export interface App extends Pick<RunningApp, 'id' | 'messaging'> {
  readonly push: { readonly devices: Devices }
}

/**
 * The clients that are logged in on one connection, and the device whose push connection it is, if any. All are of one
 * app (protocol/realtime, Connection life cycle).
 */
export class Clients {
  readonly app: App
  readonly #context: SessionContext
  readonly #logins: LoginQueue
  /** By their ids, in the order of their opening. */
  readonly #sessions = new Map<string, Session>()
  /** Opens under way, by client: of one client one after the other. */
  readonly #openings = new Map<string, Promise<void>>()
  /** How many sessions there have been so far. */
  #count = 0
  #device: Device | undefined
  /** Devices that have left, as far as something of them is under way still. */
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
   * The session that a command concerns: that of the client it names, else the earliest that is still open
   * (protocol/realtime, What every server command must carry).
   */
  find(peerId: string | undefined): Session | undefined {
    return peerId ? this.#sessions.get(peerId) : this.#sessions.values().next().value
  }

  /**
   * To be called for a command that names no client: one that is alone on its connection need not be named either. Where
   * there has been a second one, even if it is gone, a client may not know who is meant.
   */
  heedOmittedId(): void {
    if (this.#count === 1) this.find(undefined)?.omitId()
  }

  /** The same, when those have been opened that it could be. */
  async findOpening(peerId: string | undefined): Promise<Session | undefined> {
    const openings = peerId ? [this.#openings.get(peerId)] : [...this.#openings.values()]
    await Promise.allSettled(openings)
    return this.find(peerId)
  }

  /**
   * Runs the open of a client when those before it have ended, and it is its turn among all clients.
   * @throws MessagingError 4103 when there are too many clients on the connection
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
    const most = this.#context.messaging.limits.sessionsOfConnection
    if (most === 0 || this.#sessions.size + this.#openings.size < most) return
    const clientIds = new Set([...this.#sessions.keys(), ...this.#openings.keys()])
    if (clientIds.size >= most && !clientIds.has(clientId))
      throw messagingErrors.invalidLogin(`A connection logs in ${most} clients at most.`)
  }

  /** A session that is not open yet. */
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

  /** The device whose push connection this is. */
  get device(): Device | undefined {
    return this.#device
  }

  /**
   * Makes this the push connection of a device; it is that of one at a time.
   * @param answer called when it is, before the device is told anything
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

  /** To be called when a live query client logs in. */
  heedLiveQuery(): void {
    this.#hasLiveQueries = true
  }

  /** The connection is gone. */
  async endAll(ending: Ending): Promise<void> {
    this.leaveDevice()
    await Promise.all([this.#deviceEnds, ...[...this.#sessions.values()].map((session) => this.end(session, ending))])
  }

  /**
   * The installation has logged in elsewhere. A connection that is of use to others is kept, and nothing is said on it:
   * clients of messaging would take an error that answers nothing for one of the connection (protocol/realtime, What
   * every server command must carry).
   */
  #endDisplaced(device: Device): void {
    this.leaveDevice()
    if (this.#sessions.size > 0 || this.#openings.size > 0 || this.#hasLiveQueries) return
    device.notifyLoginElsewhere()
    this.#context.connection.close(4101, 'DUPLICATED_LOGIN')
  }
}
