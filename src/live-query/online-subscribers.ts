import type { Bus } from '../bus/bus.ts'
import { chunks } from '../bus/chunks.ts'
import { NodeChannel } from '../bus/node-channel.ts'
import type { Log } from '../log.ts'
import type { Audience, Concerned, LiveEvent } from './live-event.ts'

/** A subscriber that is connected to this node. */
export interface Subscriber {
  readonly id: string
  /** Notifies it of an event, for these of its queries. */
  notify(event: LiveEvent, queryIds: readonly string[]): void
  /** It has logged in again elsewhere: this one is notified no more. */
  displace(): void
}

export interface OnlineSubscribersOptions {
  readonly appId: string
  readonly bus: Bus
  /** There are no other nodes. */
  readonly alone: boolean
  readonly log: Log
}

interface Place {
  readonly subscriber: Subscriber
  /** The number of its login. */
  readonly login: number
}

type Logins = readonly (readonly [subscriberId: string, login: number])[]

type News = { readonly logins: Logins } | { readonly event: LiveEvent; readonly to: readonly Listener[] }

type Listener = readonly [subscriberId: string, queries: readonly Concerned[]]

/** Subscribers that one message to other nodes names, at most. */
const SUBSCRIBERS_AT_ONCE = 100

/**
 * The subscribers of an app that are connected to this node, and the way to those on other nodes. A subscriber has one
 * connection: that of its latest login, on whatever node. A login proves nothing, for it brings no more than the id of the
 * subscriber. So it is notified for queries of users only when the session was shown while it was logged in.
 */
export class OnlineSubscribers {
  readonly #bus: Bus
  readonly #places = new Map<string, Place>()
  readonly #channel: NodeChannel<News>
  readonly #endGaps: () => void

  constructor({ appId, bus, alone, log }: OnlineSubscribersOptions) {
    this.#bus = bus
    this.#channel = new NodeChannel({
      bus,
      topic: `live events ${appId}`,
      alone,
      heard: (news) => this.#hear(news),
      log,
    })
    this.#endGaps = bus.onGap(() => this.#endGap())
  }

  get ids(): Iterable<string> {
    return this.#places.keys()
  }

  /** From now on the subscriber is notified of events, unless it has logged in again since. */
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

  /** @returns whether the subscriber was connected by this login */
  remove(subscriber: Subscriber): boolean {
    return this.#places.get(subscriber.id)?.subscriber === subscriber && this.#places.delete(subscriber.id)
  }

  /** Notifies those of an event who are connected, on whatever node. Others never hear of it. */
  notify(event: LiveEvent, audience: Audience): void {
    const elsewhere = this.#pass(event, audience)
    for (const to of chunks(elsewhere, SUBSCRIBERS_AT_ONCE)) this.#channel.publish({ event, to })
  }

  stop(): void {
    this.#channel.stop()
    this.#endGaps()
  }

  /** @returns who is not connected here */
  #pass(event: LiveEvent, audience: Iterable<Listener>): Listener[] {
    const elsewhere: Listener[] = []
    for (const listener of audience) {
      const place = this.#places.get(listener[0])
      if (place) notifyAt(place, event, listener[1])
      else elsewhere.push(listener)
    }
    return elsewhere
  }

  #hear(news: News): void {
    if ('event' in news) this.#pass(news.event, news.to)
    else this.#heedLogins(news.logins)
  }

  #heedLogins(logins: Logins): void {
    for (const [subscriberId, login] of logins) {
      const place = this.#places.get(subscriberId)
      if (!place) continue
      if (place.login > login) {
        // That one came later than its news: the other node does not know of this login.
        this.#channel.publish({ logins: [[subscriberId, place.login]] })
        continue
      }
      this.#places.delete(subscriberId)
      place.subscriber.displace()
    }
  }

  /** Who is connected here is notified from here alone; a node that has missed a login would keep back what is for another. */
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
