import type { RunningApp } from '../apps/running-app.ts'
import type { Directory } from '../bus/directory.ts'
import { Wills } from '../messaging/wills.ts'
import type { Connection } from './connection.ts'
import { type Ending, leave } from './leaving.ts'
import { type Introduction, Session, type SessionContext } from './session.ts'

/** An app, as far as its clients are concerned. */
export type App = Pick<RunningApp, 'id' | 'messaging'>

/** The clients that are logged in on one connection. All are of one app (spec/realtime-protocol, 2.4). */
export class Clients {
  readonly app: App
  readonly #context: SessionContext
  /** By their ids, in the order of their opening. */
  readonly #sessions = new Map<string, Session>()
  /** Opens under way, by client: of one client one after the other. */
  readonly #openings = new Map<string, Promise<void>>()

  constructor(connection: Connection, app: App, directory: Directory) {
    const { messaging } = app
    this.app = app
    this.#context = { connection, messaging, directory, wills: new Wills(messaging) }
  }

  /**
   * The session that a command concerns: that of the client it names, else the earliest that is still open
   * (spec/realtime-protocol, 3.5).
   */
  find(peerId: string | undefined): Session | undefined {
    return peerId ? this.#sessions.get(peerId) : this.#sessions.values().next().value
  }

  /** The same, when those have been opened that it could be. */
  async findOpening(peerId: string | undefined): Promise<Session | undefined> {
    const openings = peerId ? [this.#openings.get(peerId)] : [...this.#openings.values()]
    await Promise.allSettled(openings)
    return this.find(peerId)
  }

  /** Runs the open of a client when those before it have ended. */
  async opening(clientId: string, open: (context: SessionContext) => Promise<void>): Promise<void> {
    const before = this.#openings.get(clientId) ?? Promise.resolve()
    const opening = before.catch(() => {}).then(() => open(this.#context))
    this.#openings.set(clientId, opening)
    try {
      await opening
    } finally {
      if (this.#openings.get(clientId) === opening) this.#openings.delete(clientId)
    }
  }

  /** A session that is not open yet. */
  prepare(introduction: Introduction): Session {
    return new Session(this.#context, introduction, (session, code, reason) => {
      void this.end(session, { kind: 'ended', code, reason })
    })
  }

  add(session: Session): void {
    this.#sessions.set(session.clientId, session)
  }

  async end(session: Session, ending: Ending): Promise<void> {
    if (!session.isOpen) return
    session.close()
    this.#sessions.delete(session.clientId)
    try {
      await leave(session, ending)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const { log } = this.#context.messaging
      log.error({ component: 'realtime', error: reason }, 'the end of a session was not dealt with entirely')
    }
  }

  /** The connection is gone. */
  async endAll(ending: Ending): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session, ending)))
  }
}
