import type { LiveEvent } from '../live-query/live-event.ts'
import { eventText } from '../live-query/live-event.ts'
import type { LiveQueries } from '../live-query/live-queries.ts'
import { checkSubscriberId } from '../live-query/live-query.ts'
import type { Subscriber } from '../live-query/online-subscribers.ts'
import { logIn, logOut, lose } from '../live-query/subscriber-login.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { Sequence } from '../scheduling/sequence.ts'
import type { Connection } from './connection.ts'

/** `service` of commands of live queries (protocol/realtime, GenericCommand). */
export const LIVE_QUERY = 1

/** Maximum number of subscribers on one connection. */
const MAX_LOGINS = 100

/** The live query subscribers that are logged in on one connection (protocol/realtime, Socket commands). */
export class LiveQueryLogins {
  readonly #connection: Pick<Connection, 'send' | 'closed'>
  readonly #live: LiveQueries
  readonly #subscribers = new Map<string, Subscriber>()
  /** Logins and logouts of a connection run in sequence. */
  readonly #sequence = new Sequence()

  constructor(connection: Pick<Connection, 'send' | 'closed'>, live: LiveQueries) {
    this.#connection = connection
    this.#live = live
  }

  /**
   * Logs a subscriber in. A repeated login succeeds without a change.
   * @param answered called right before the first event may be sent: clients do not support earlier events
   * @param number the number of its login, if it has one already
   * @throws MessagingError 4103
   */
  logIn(id: string | undefined, answered: () => void, number?: number): Promise<void> {
    const subscriberId = checkId(id)
    return this.#sequence.run(async () => {
      if (this.#subscribers.has(subscriberId)) return answered()
      if (this.#subscribers.size >= MAX_LOGINS)
        throw messagingErrors.invalidLogin(`A connection can log in at most ${MAX_LOGINS} live query clients.`)
      const subscriber = this.#subscriber(subscriberId)
      // Set before its first event, because it may be displaced immediately.
      this.#subscribers.set(subscriberId, subscriber)
      try {
        await logIn(this.#live, subscriber, answered, number)
      } catch (error) {
        this.#subscribers.delete(subscriberId)
        throw error
      }
      if (this.#connection.closed) await this.#loseAll()
    })
  }

  /** Logs a subscriber out, and ends its queries. */
  logOut(id: string | undefined): Promise<void> {
    return this.#sequence.run(async () => {
      const subscriber = this.#subscribers.get(id ?? '')
      if (!subscriber) return
      this.#subscribers.delete(subscriber.id)
      await logOut(this.#live, subscriber)
    })
  }

  /** Ends the logins of a closed connection. */
  end(): Promise<void> {
    return this.#sequence.run(() => this.#loseAll())
  }

  #subscriber(id: string): Subscriber {
    const subscriber: Subscriber = {
      id,
      notify: (event, queryIds) => this.#connection.send(dataOf(id, event, queryIds)),
      displace: () => {
        if (this.#subscribers.get(id) === subscriber) this.#subscribers.delete(id)
      },
    }
    return subscriber
  }

  async #loseAll(): Promise<void> {
    const subscribers = [...this.#subscribers.values()]
    this.#subscribers.clear()
    await Promise.all(subscribers.map((subscriber) => lose(this.#live, subscriber)))
  }
}

/** Returns the command that delivers an event to queries of a subscriber. */
function dataOf(installationId: string, event: LiveEvent, queryIds: readonly string[]): GenericCommand {
  const ids = queryIds.map((_, index) => (index === 0 ? event.id : `${event.id}-${index}`))
  const msg = queryIds.map((queryId) => ({ data: eventText(event, queryId) }))
  return { cmd: 'data', service: LIVE_QUERY, installationId, dataMessage: { ids, msg } }
}

function checkId(id: string | undefined): string {
  try {
    return checkSubscriberId(id)
  } catch {
    throw messagingErrors.invalidLogin('A live query client must log in with the id that it subscribes with.')
  }
}
