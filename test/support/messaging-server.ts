import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll } from 'vitest'
import { schemaOf } from '../../src/apps/apps.ts'
import type { Directory } from '../../src/bus/directory.ts'
import { localBus } from '../../src/bus/local-bus.ts'
import { openLiveQueries } from '../../src/live-query/open.ts'
import { pushTables } from '../../src/push/push.ts'
import { Dispatch, type DispatchOptions } from '../../src/realtime/dispatch.ts'
import { RealtimeServer } from '../../src/realtime/realtime-server.ts'
import { openDevices } from '../../src/running-app/app-push.ts'
import type { MessagingBench, MessagingNode } from './messaging.ts'

/**
 * Serves the messaging of a node over WebSocket in this process, so that test and server share an event loop.
 * @param directory shared by nodes of one installation
 */
export async function serveMessaging(
  { messaging }: MessagingNode,
  database: MessagingBench['database'],
  directory: Directory,
) {
  const { appId, objects, log } = messaging
  const bus = localBus()
  const schema = schemaOf(appId)
  const devices = openDevices({ database, bus, alone: true, log }, pushTables(schema), objects)
  const liveQueries = await openLiveQueries({
    objects,
    secret: () => 'a secret',
    schema,
    bus,
    alone: true,
    rolesOf: async () => [],
    holdSession: async () => true,
    log,
  })
  afterAll(() => liveQueries.stop())
  const app = { id: appId, messaging, push: { devices }, liveQueries }
  const apps = new Map([[appId, app]])
  const running = { opened: (id: string) => apps.get(id), open: async (id: string) => apps.get(id) }
  return { messaging, appId, close: () => apps.clear(), ...(await serveApps({ running, directory })) }
}

/** Serves apps over WebSocket in this process. */
async function serveApps(options: DispatchOptions) {
  const dispatch = new Dispatch(options)
  const server = new RealtimeServer({
    log: pino({ level: 'silent' }),
    onConnection: (connection) => dispatch.serve(connection),
    peerIdOf: (connection) => dispatch.peerIdOf(connection),
    grace: 50,
  })
  const http = createServer()
  server.attach(http)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  afterAll(async () => {
    await server.stop()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { dispatch, server, url }
}
