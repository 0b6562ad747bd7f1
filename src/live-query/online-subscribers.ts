import type { Bus } from '../bus/bus.ts'
import { chunks } from '../bus/chunks.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Log } from '../log.ts'
import type { Audience, Concerned, LiveEvent } from './live-event.ts'

/** A subscriber that is connected to this node. */
export interface Subscriber {
  readonly id: string
  /** Sends it an event, for these of its queries. */
  notify(event: LiveEvent, queryIds: readonly string[]): void
  /** Stops the notifications of a subscriber that has logged in again elsewhere. */
  displace(): void
}

export interface OnlineSubscribersOptions {
  readonly appId: string
  readonly bus: Bus
  /** Whether this is the only node. */
  readonly alone: boolean
  readonly log: Log
}

interface Connection {
  readonly subscriber: Subscriber
  /** The number of its login. */
  readonly login: number
}

type Logins = readonly (readonly [subscriberId: string, login: number])[]

type NodeMessage = { readonly logins: Logins } | { readonly event: LiveEvent; readonly to: readonly Listener[] }

type Listener = readonly [subscriberId: string, queries: readonly Concerned[]]

/** Maximum number of subscribers in one message to other nodes. */
const SUBSCRIBERS_AT_ONCE = 100

/**
 * Tracks the subscribers of an app that are connected to this node, and delivers events to all nodes. A subscriber has one
 * connection, that of its latest login on any node. A login is no proof of identity, because it contains only the id of the
 * subscriber. So it gets the events of queries of users only if their session was proven while it was logged in.
 */
export class OnlineSubscribers {
  readonly #bus: Bus
  readonly #connections = new Map<string, Connection>()
  readonly #channel: NodeChannel<NodeMessage>
  readonly #endGaps: () => void

  constructor({ appId, bus, alone, log }: OnlineSubscribersOptions) {
    this.#bus = bus
    this.#channel = new NodeChannel({
      bus,
      topic: `live events ${appId}`,
      alone,
      onMessage: (message) => this.#onMessage(message),
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  get ids(): Iterable<string> {
    return this.#connections.keys()
  }

  /** Begins to notify the subscriber of events, unless a later login has replaced it. */
  add(subscriber: Subscriber, login: number): void {
    const before = this.#connections.get(subscriber.id)
    if (before && before.login > login) {
      subscriber.displace()
      return
    }
    this.#connections.set(subscriber.id, { subscriber, login })
    before?.subscriber.displace()
    this.#channel.publish({ logins: [[subscriber.id, login]] })
  }

  /** Removes a subscriber. @returns whether it was connected by this login */
  remove(subscriber: Subscriber): boolean {
    return this.#connections.get(subscriber.id)?.subscriber === subscriber && this.#connections.delete(subscriber.id)
  }

  /** Sends an event to the connected receivers on all nodes. Others never get it. */
  notify(event: LiveEvent, audience: Audience): void {
    const remote = this.#pass(event, audience)
    for (const to of chunks(remote, SUBSCRIBERS_AT_ONCE)) this.#channel.publish({ event, to })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  /** Sends an event to the receivers on this node. @returns the others */
  #pass(event: LiveEvent, audience: Iterable<Listener>): Listener[] {
    const remote: Listener[] = []
    for (const listener of audience) {
      const connection = this.#connections.get(listener[0])
      if (connection) notifyAt(connection, event, listener[1])
      else remote.push(listener)
    }
    return remote
  }

  #onMessage(message: NodeMessage): void {
    if ('event' in message) this.#pass(message.event, message.to)
    else this.#applyLogins(message.logins)
  }

  #applyLogins(logins: Logins): void {
    for (const [subscriberId, login] of logins) {
      const connection = this.#connections.get(subscriberId)
      if (!connection) continue
      if (connection.login > login) {
        // The local login is later than the published one: the other node does not know of it.
        this.#channel.publish({ logins: [[subscriberId, connection.login]] })
        continue
      }
      this.#connections.delete(subscriberId)
      connection.subscriber.displace()
    }
  }

  /**
   * Publishes the logins of this node again after an outage. A node that has missed a login would keep the events for the
   * subscriber.
   */
  #endGap(): void {
    if (!this.#bus.connected) return
    const logins = [...this.#connections].map(([id, { login }]) => [id, login] as const)
    for (const some of chunks(logins, SUBSCRIBERS_AT_ONCE)) this.#channel.publish({ logins: some })
  }
}

function notifyAt({ subscriber, login }: Connection, event: LiveEvent, queries: readonly Concerned[]): void {
  const ids = queries.filter(({ proof }) => proof === null || login <= proof).map(({ id }) => id)
  if (ids.length > 0) subscriber.notify(event, ids)
}
