import type { LiveQueries } from './live-queries.ts'
import type { Subscriber } from './online-subscribers.ts'
import { isMadeByServer } from './subscriber-ids.ts'

/**
 * A subscriber has logged in: it is notified of events from now on, and the one that was logged in before in its place is
 * not. It never hears of what happened while it was away. For queries of users it is notified once their session is shown
 * again: a login has only the id of the subscriber, which others may know.
 * @param answered called right before it may be notified of the first event
 * @param number that of its login, where it has one already
 */
export async function logIn(
  live: LiveQueries,
  subscriber: Subscriber,
  answered: () => void,
  number?: number,
): Promise<void> {
  const seen = live.table.noteSeen({ subscriberId: subscriber.id, at: live.now() })
  const [login] = await Promise.all([number ?? live.nextNumber(), seen])
  answered()
  live.online.add(subscriber, login)
}

/**
 * A subscriber has logged out: its queries end (protocol/realtime, Socket commands). One that was displaced ends
 * nothing. Clients that were given their id subscribe before they log in: what they have subscribed to at the moment is
 * for their next login, and waits for it as after a lost connection.
 */
export async function logOut(live: LiveQueries, subscriber: Subscriber): Promise<void> {
  if (isMadeByServer(subscriber.id)) return lose(live, subscriber)
  if (!live.online.remove(subscriber)) return
  await live.table.removeSubscriber(subscriber.id)
  await live.news.changed(subscriber.id)
}

/** The connection of a subscriber is gone: its queries wait for it for a while; see `housekeeping.ts`. */
export async function lose(live: LiveQueries, subscriber: Subscriber): Promise<void> {
  if (!live.online.remove(subscriber)) return
  if (live.known.ofSubscriber(subscriber.id).size > 0) await live.table.renew([subscriber.id], live.now())
}
