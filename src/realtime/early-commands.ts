import { checkSubscriberId } from '../live-query/live-query.ts'
import type { SubscriberApps } from '../live-query/subscriber-apps.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { Connection } from './connection.ts'
import { LIVE_QUERY } from './live-query-logins.ts'
import { errorOf } from './refusals.ts'

/** Maximum number of subscribers that log in on one connection without naming its app. Clients that do so have a single one. */
const MAX_SUBSCRIBERS = 10

/** A subscriber that logged in before its app was known. */
export interface EarlyLogin {
  /** The time of its login as a number of `loginNumbers`; undefined until it is known. */
  readonly number: number | undefined
  /** Sends the response to the login, unless it has been sent. */
  answer(): void
}

interface Waiting {
  /** Stops waiting. */
  readonly end: () => void
  number: number | undefined
}

/**
 * Handles the commands of a connection that has not named its app yet. A live query client logs in by its id alone, and its app
 * is known when it has subscribed (protocol/realtime, Sequence). If the app is not known yet, the response is sent immediately,
 * because the client subscribes only after it. Otherwise the response is sent after the login, so that no event is missed. All
 * other commands are rejected: an application that learns of the restored connection may send commands before its client has
 * logged in again.
 */
export class EarlyCommands {
  readonly #connection: Connection
  readonly #apps: SubscriberApps | undefined
  readonly #found: (appId: string) => Promise<void>
  readonly #subscribers = new Map<string, Waiting>()
  /** Logins without a response, by their ids: no event may precede the response. */
  readonly #unanswered = new Map<string, GenericCommand>()

  /** @param found called when the app of the connection is known */
  constructor(connection: Connection, apps: SubscriberApps | undefined, found: (appId: string) => Promise<void>) {
    this.#connection = connection
    this.#apps = apps
    this.#found = found
  }

  /** Logs a live query client in; rejects any other installation. */
  logIn(command: GenericCommand): Promise<void> | void {
    if (command.service === LIVE_QUERY && this.#apps) return this.#logIn(command, this.#apps)
    this.refuse(command)
  }

  /** Logs a live query client out; rejects any other installation. */
  logOut(command: GenericCommand): void {
    const { i, service, installationId } = command
    if (service === LIVE_QUERY && this.#apps) {
      this.#answerFor(installationId ?? '')
      this.#forget(installationId ?? '')
      this.#connection.send({ cmd: 'loggedout', i, service, installationId })
    } else this.refuse(command)
  }

  /** Rejects a command that needs the app of its connection, or a session. */
  refuse(command: GenericCommand): void {
    this.#connection.refuse(command, errorOf(messagingErrors.sessionRequired()))
  }

  /**
   * Removes and returns the subscribers that have logged in so far; the caller takes over.
   * @returns the logins by their ids
   */
  take(): Map<string, EarlyLogin> {
    const taken = new Map(
      [...this.#subscribers].map(([id, { number }]) => [id, { number, answer: () => this.#answerFor(id) }]),
    )
    this.end()
    return taken
  }

  /** Stops waiting for the app. */
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
    // It may have logged out meanwhile, or its app was found in another way: then its response has been, or will be, sent.
    if (!this.#subscribers.has(id)) return
    if (appId === null) this.#answerFor(id)
    else await this.#found(appId)
  }

  /** Returns the id of a login. @returns null for an id that cannot log in */
  #checkId(command: GenericCommand): string | null {
    try {
      const id = checkSubscriberId(command.installationId)
      if (this.#subscribers.size < MAX_SUBSCRIBERS || this.#subscribers.has(id)) return id
      const limit = `Without an appId a connection logs in ${MAX_SUBSCRIBERS} live query clients at most.`
      this.#connection.refuse(command, errorOf(messagingErrors.invalidLogin(limit)))
    } catch {
      const wanted = 'A live query client must log in with the id that it subscribes with.'
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
