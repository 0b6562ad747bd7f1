import type { LiveQueries } from './live-queries.ts'
import type { Subscriber } from './online-subscribers.ts'
import { isMadeByServer } from './subscriber-ids.ts'

/**
 * Logs a subscriber in: it gets events from now on, and replaces an earlier login. Events from its absence are not sent. It gets
 * events of users' queries after their session has been proven again: a login has only the id of the subscriber, which others may
 * know.
 * @param answered called right before the first event may be sent
 * @param number the number of its login, if it has one already
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
 * Logs a subscriber out and ends its queries (protocol/realtime, Socket commands). A displaced login ends nothing. Clients with
 * an id from the server subscribe before they log in: their current subscriptions are for the next login, and are kept as after a
 * lost connection.
 */
export async function logOut(live: LiveQueries, subscriber: Subscriber): Promise<void> {
  if (isMadeByServer(subscriber.id)) return lose(live, subscriber)
  if (!live.online.remove(subscriber)) return
  await live.table.removeSubscriber(subscriber.id)
  await live.changes.changed(subscriber.id)
}

/** Handles a lost connection of a subscriber: its queries are kept for a while; see `housekeeping.ts`. */
export async function lose(live: LiveQueries, subscriber: Subscriber): Promise<void> {
  if (!live.online.remove(subscriber)) return
  if (live.known.ofSubscriber(subscriber.id).size > 0) await live.table.renew([subscriber.id], live.now())
}
