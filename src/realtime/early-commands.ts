import { checkSubscriberId } from '../live-query/live-query.ts'
import type { SubscriberApps } from '../live-query/subscriber-apps.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { Connection } from './connection.ts'
import { LIVE_QUERY } from './live-query-logins.ts'
import { errorOf } from './refusals.ts'

/** Subscribers that one connection may log in without naming its app: the clients that do so have one. */
const MAX_SUBSCRIBERS = 10

/** A subscriber that logged in before its app was known. */
export interface EarlyLogin {
  /** When it did, as a number of `loginNumbers`; undefined while that is being asked for. */
  readonly number: number | undefined
  /** Answers it, if it has no answer yet. */
  answer(): void
}

interface Waiting {
  /** Ends the waiting. */
  readonly end: () => void
  number: number | undefined
}

/**
 * What comes on a connection before it has named its app. A live query client logs in by its id alone, which tells its app
 * as soon as it has subscribed (protocol/realtime, Sequence). It is answered at once where the app is not known yet,
 * for it subscribes only then; else when it is logged in, after which no event is missed. All else is refused: an
 * application that
 * hears of its connection being there again may speak before the client has logged in again (4.6).
 */
export class EarlyCommands {
  readonly #connection: Connection
  readonly #apps: SubscriberApps | undefined
  readonly #found: (appId: string) => Promise<void>
  readonly #subscribers = new Map<string, Waiting>()
  /** The logins that are still to be answered, by their ids: no event may come before. */
  readonly #unanswered = new Map<string, GenericCommand>()

  /** @param found called when the app of the connection is known */
  constructor(connection: Connection, apps: SubscriberApps | undefined, found: (appId: string) => Promise<void>) {
    this.#connection = connection
    this.#apps = apps
    this.#found = found
  }

  /** Logs a live query client in; any other installation is refused. */
  logIn(command: GenericCommand): Promise<void> | void {
    if (command.service === LIVE_QUERY && this.#apps) return this.#logIn(command, this.#apps)
    this.refuse(command)
  }

  /** Logs a live query client out; any other installation is refused. */
  logOut(command: GenericCommand): void {
    const { i, service, installationId } = command
    if (service === LIVE_QUERY && this.#apps) {
      this.#answerFor(installationId ?? '')
      this.#forget(installationId ?? '')
      this.#connection.send({ cmd: 'loggedout', i, service, installationId })
    } else this.refuse(command)
  }

  /** Refuses a command that needs the app of its connection, or a session. */
  refuse(command: GenericCommand): void {
    this.#connection.refuse(command, errorOf(messagingErrors.sessionRequired()))
  }

  /**
   * The subscribers that have logged in so far; from now on it is up to the caller to see to them.
   * @returns by their ids
   */
  take(): Map<string, EarlyLogin> {
    const taken = new Map(
      [...this.#subscribers].map(([id, { number }]) => [id, { number, answer: () => this.#answerFor(id) }]),
    )
    this.end()
    return taken
  }

  /** Waits no more. */
  end(): void {
    for (const id of [...this.#subscribers.keys()]) this.#forget(id)
  }

  async #logIn(command: GenericCommand, apps: SubscriberApps): Promise<void> {
    const id = this.#checkId(command)
    if (id === null) return
    if (this.#subscribers.has(id)) return this.#answer(command)
    const waiting: Waiting = { end: apps.wait(id, this.#found), number: undefined }
    this.#subscribers.set(id, waiting)
    this.#unanswered.set(id, command)
    let appId: string | null
    try {
      waiting.number = await apps.nextNumber()
      appId = await apps.find(id)
    } catch (error) {
      this.#unanswered.delete(id)
      this.#forget(id)
      throw error
    }
    // It may have logged out meanwhile, or its app have become known in another way: then it has an answer, or will.
    if (!this.#subscribers.has(id)) return
    if (appId === null) this.#answerFor(id)
    else await this.#found(appId)
  }

  /** @returns null for an id that cannot log in */
  #checkId(command: GenericCommand): string | null {
    try {
      const id = checkSubscriberId(command.installationId)
      if (this.#subscribers.size < MAX_SUBSCRIBERS || this.#subscribers.has(id)) return id
      const limit = `Without an appId a connection logs in ${MAX_SUBSCRIBERS} live query clients at most.`
      this.#connection.refuse(command, errorOf(messagingErrors.invalidLogin(limit)))
    } catch {
      const wanted = 'A live query client logs in with the id by which it subscribes.'
      this.#connection.refuse(command, errorOf(messagingErrors.invalidLogin(wanted)))
    }
    return null
  }

  #answerFor(id: string): void {
    const command = this.#unanswered.get(id)
    this.#unanswered.delete(id)
    if (command) this.#answer(command)
  }

  #answer(command: GenericCommand): void {
    const { i, service, installationId } = command
    this.#connection.send({ cmd: 'loggedin', i, service, installationId })
  }

  #forget(id: string): void {
    this.#subscribers.get(id)?.end()
    this.#subscribers.delete(id)
  }
}
