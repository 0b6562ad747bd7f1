import { Client, inChunks, type Server } from '../messaging/client.ts'
import { connect } from '../messaging/client-socket.ts'
import { post } from './post.ts'

/** Maximum live queries of a subscriber; more queries need more subscribers. */
const QUERIES_EACH = 100

/** The room of the written objects, whose subscribers get the events. */
export const ROOM = 'room of the writes'

/** The subscribers notified of each write to a class. */
export interface Audience {
  readonly className: string
  readonly listeners: readonly Client[]
}

/** Logs subscribers in on separate connections and subscribes them to later writes of a class. */
export async function gatherAudience(server: Server, className: string, count: number): Promise<Audience> {
  const listeners = await inChunks(count, async (n) => {
    const id = `listener-${className}-${n}`
    const client = new Client(id, await connect(server.url, 'lc.protobuf2.3'))
    await client.request({ cmd: 'login', appId: server.appId, installationId: id, service: 1 })
    await subscribe(server, id, className, ROOM, 0)
    return client
  })
  return { className, listeners }
}

/** Adds subscriptions that match no writes, some queries per room. */
export async function addOthers({ className }: Audience, server: Server, count: number): Promise<void> {
  await inChunks(count, (n) => {
    const id = `other-${className}-${Math.floor(n / QUERIES_EACH)}`
    return subscribe(server, id, className, `room ${n % 1000}`, n)
  })
}

function subscribe(server: Server, id: string, className: string, room: string, n: number): Promise<void> {
  const where = { room, level: { $gte: -n } }
  return post(server, '/1.1/LiveQuery/subscribe', { id, query: { className, where } })
}
