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

interface Place {
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
  readonly #places = new Map<string, Place>()
  readonly #channel: NodeChannel<NodeMessage>
  readonly #endGaps: () => void

  constructor({ appId, bus, alone, log }: OnlineSubscribersOptions) {
    this.#bus = bus
    this.#channel = new NodeChannel({
      bus,
      topic: `live events ${appId}`,
      alone,
      onMessage: (news) => this.#hear(news),
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  get ids(): Iterable<string> {
    return this.#places.keys()
  }

  /** Begins to notify the subscriber of events, unless a later login has replaced it. */
  add(subscriber: Subscriber, login: number): void {
    const before = this.#places.get(subscriber.id)
    if (before && before.login > login) {
      subscriber.displace()
      return
    }
    this.#places.set(subscriber.id, { subscriber, login })
    before?.subscriber.displace()
    this.#channel.publish({ logins: [[subscriber.id, login]] })
  }

  /** Removes a subscriber. @returns whether it was connected by this login */
  remove(subscriber: Subscriber): boolean {
    return this.#places.get(subscriber.id)?.subscriber === subscriber && this.#places.delete(subscriber.id)
  }

  /** Sends an event to the connected receivers on all nodes. Others never get it. */
  notify(event: LiveEvent, audience: Audience): void {
    const elsewhere = this.#pass(event, audience)
    for (const to of chunks(elsewhere, SUBSCRIBERS_AT_ONCE)) this.#channel.publish({ event, to })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  /** Sends an event to the receivers on this node. @returns the others */
  #pass(event: LiveEvent, audience: Iterable<Listener>): Listener[] {
    const elsewhere: Listener[] = []
    for (const listener of audience) {
      const place = this.#places.get(listener[0])
      if (place) notifyAt(place, event, listener[1])
      else elsewhere.push(listener)
    }
    return elsewhere
  }

  #hear(news: NodeMessage): void {
    if ('event' in news) this.#pass(news.event, news.to)
    else this.#heedLogins(news.logins)
  }

  #heedLogins(logins: Logins): void {
    for (const [subscriberId, login] of logins) {
      const place = this.#places.get(subscriberId)
      if (!place) continue
      if (place.login > login) {
        // The local login is later than the published one: the other node does not know of it.
        this.#channel.publish({ logins: [[subscriberId, place.login]] })
        continue
      }
      this.#places.delete(subscriberId)
      place.subscriber.displace()
    }
  }

  /**
   * Publishes the logins of this node again after an outage. A node that has missed a login would keep the events for the
   * subscriber.
   */
  #endGap(): void {
    if (!this.#bus.connected) return
    const logins = [...this.#places].map(([id, { login }]) => [id, login] as const)
    for (const some of chunks(logins, SUBSCRIBERS_AT_ONCE)) this.#channel.publish({ logins: some })
  }
}

function notifyAt({ subscriber, login }: Place, event: LiveEvent, queries: readonly Concerned[]): void {
  const ids = queries.filter(({ proof }) => proof === null || login <= proof).map(({ id }) => id)
  if (ids.length > 0) subscriber.notify(event, ids)
}
