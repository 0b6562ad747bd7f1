import { randomUUID } from 'node:crypto'
import { coalesce } from '../database/coalesce.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { isJsonObject } from '../values/json.ts'
import type { Bus } from './bus.ts'
import { Listeners } from './listeners.ts'
import { ListeningConnection } from './listening-connection.ts'
import { Subscriptions } from './subscriptions.ts'
import { WaitingBytes } from './waiting-bytes.ts'

const CHANNEL = 'homeport_bus'

/** PostgreSQL rejects a payload of 8000 bytes or more. */
const MAX_PAYLOAD_BYTES = 7999

/** Maximum number of messages per statement. */
const MESSAGES_AT_ONCE = 100

interface Payload {
  readonly node: string
  readonly topic: string
  readonly message: string
}

/** Creates the bus of several nodes on one database: LISTEN and NOTIFY on one channel. */
export function postgresBus(database: Database, serverLog: Log): Bus {
  const log = serverLog.child({ component: 'bus' })
  const node = randomUUID()
  const subscriptions = new Subscriptions(log)
  const gaps = new Listeners<[]>(log)
  const waiting = new WaitingBytes()
  let published = 0

  const connection = new ListeningConnection({
    database,
    log,
    channel: CHANNEL,
    onPayload(text) {
      const payload = parsePayload(text)
      if (payload && payload.node !== node) subscriptions.deliver(payload.topic, payload.message)
    },
    interrupted: () => gaps.notify(),
  })

  // One statement at a time keeps the order; messages published meanwhile share the next one.
  const send = coalesce<string, null>(
    async (payloads) => {
      await database.query(sql`
        SELECT pg_notify(${CHANNEL}, payload)
        FROM unnest(${payloads}::text[]) AS payload`)
      return payloads.map(() => ({ result: null }))
    },
    { atOnce: 1, size: MESSAGES_AT_ONCE },
  )

  return {
    async publish(topic, message) {
      // The number makes equal messages distinct: PostgreSQL delivers equal payloads of one transaction once.
      const payload = JSON.stringify({ node, number: published++, topic, message })
      const size = Buffer.byteLength(payload)
      if (size > MAX_PAYLOAD_BYTES)
        throw new Error(
          `A message on the topic "${topic}" is too long for the bus: it has ${size} bytes with its envelope, and the maximum is ${MAX_PAYLOAD_BYTES}.`,
        )
      // Queues the message before the local listeners are called, so that messages they publish follow it on every
      // node.
      const sent = waiting.during(size, async () => void (await send(payload)))
      subscriptions.deliver(topic, message)
      await sent
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    // One channel carries all topics, and it is subscribed to from the start.
    subscribed: async () => {},
    get connected() {
      return connection.connected
    },
    onGap: (listener) => gaps.add(listener),
    start: () => connection.start(),
    stop: () => connection.stop(),
  }
}

/** Parses a notification of a node; null for notifications of other programs. */
function parsePayload(text: string): Payload | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isJsonObject(value)) return null
  const { node, topic, message } = value
  if (typeof node !== 'string' || typeof topic !== 'string' || typeof message !== 'string') return null
  return { node, topic, message }
}
