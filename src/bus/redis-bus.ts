import { randomBytes } from 'node:crypto'
import type { Log } from '../log.ts'
import type { Bus } from './bus.ts'
import { Listeners } from './listeners.ts'
import { RedisConnection, type RedisTimes } from './redis-connection.ts'
import { escapeText, unescapeText } from './redis-text.ts'
import { redisAddress } from './redis-url.ts'
import { Subscriptions } from './subscriptions.ts'
import { WaitingBytes } from './waiting-bytes.ts'

/** Redis disconnects subscribers with more than 8 MB of unread data for a minute; a few messages of this size may queue. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024

/**
 * Creates the bus of several nodes on Redis: one channel per topic, and a node subscribes only to the channels of
 * topics that it listens to. While Redis is unavailable, publishing reaches this node only and rejects; the bus
 * recovers automatically, also when Redis was unavailable at the start.
 * @param url as `redisAddress` parses it
 * @throws Error when the URL is invalid
 */
export function redisBus(url: string, serverLog: Log, times: RedisTimes = {}): Bus {
  const log = serverLog.child({ component: 'bus' })
  const address = redisAddress(url)
  // Channels, unlike keys, are not separated by the number of the database.
  const prefix = `homeport:${address.database}:`
  const node = randomBytes(9).toString('base64url')
  const gaps = new Listeners<[]>(log)
  const waiting = new WaitingBytes()
  const subscriptions = new Subscriptions(log, {
    began: (topic) => connection.listen(channelOf(topic)),
    ended: (topic) => connection.unlisten(channelOf(topic)),
  })
  const channelOf = (topic: string) => prefix + escapeText(topic)

  const connection = new RedisConnection({
    address,
    log,
    channels: () => subscriptions.topics().map(channelOf),
    onMessage(channel, payload) {
      // Messages of this node were delivered when they were published.
      if (payload.startsWith(node)) return
      const message = parseMessage(payload.slice(node.length))
      if (message !== null) subscriptions.deliver(unescapeText(channel.slice(prefix.length)), message)
    },
    interrupted: () => gaps.notify(),
    times,
  })

  return {
    async publish(topic, message) {
      const payload = node + JSON.stringify(message)
      const size = Buffer.byteLength(payload)
      if (size > MAX_PAYLOAD_BYTES)
        throw new Error(
          `A message on the topic "${topic}" is too long for the bus: it has ${size} bytes with its envelope, and the maximum is ${MAX_PAYLOAD_BYTES}.`,
        )
      // Queues the message before the local listeners are called, so that messages they publish follow it on every
      // node.
      const sent = waiting.during(size, () => connection.publish(channelOf(topic), payload))
      subscriptions.deliver(topic, message)
      await sent
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    subscribed: () => connection.listening(),
    get connected() {
      return connection.connected
    },
    onGap: (listener) => gaps.add(listener),
    start: () => connection.start(),
    stop: () => connection.stop(),
  }
}

/** Parses a message of a node; null for messages of other programs. */
function parseMessage(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
