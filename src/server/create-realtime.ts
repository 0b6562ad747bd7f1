import type { IncomingMessage } from 'node:http'
import { foreignOrigin } from '../api/http/web-origin.ts'
import type { Apps } from '../apps/apps.ts'
import { allowsOrigin } from '../apps/web-origins.ts'
import type { Directory } from '../bus/directory.ts'
import type { Connections } from '../limits/connections.ts'
import type { Log } from '../log.ts'
import type { SentRequest } from '../proxies.ts'
import { Dispatch } from '../realtime/dispatch.ts'
import { LoginQueue } from '../realtime/login-queue.ts'
import { RealtimeServer } from '../realtime/realtime-server.ts'
import type { RunningApps } from '../running-app/running-app.ts'
import type { ClientsServed } from '../scheduling/clients-served.ts'

interface RealtimeParts {
  readonly apps: Apps
  readonly running: RunningApps
  readonly directory: Directory
  readonly clientsServed: ClientsServed
  readonly asSent: (request: IncomingMessage) => SentRequest
  readonly connections: Connections
  readonly log: Log
}

/** Creates the WebSocket server, which is reachable at any path of the HTTP server. */
export function createRealtime({ apps, running, directory, clientsServed, asSent, connections, log }: RealtimeParts) {
  const logins = new LoginQueue()
  const dispatch = new Dispatch({
    running,
    directory,
    logins,
    clientsServed,
    allowsPage: (appId, webOrigin) => {
      const app = apps.known(appId)
      return app !== undefined && allowsOrigin(app.settings.security.webOrigins, webOrigin)
    },
  })
  const server = new RealtimeServer({
    log,
    logins,
    addressOf: (request) => asSent(request).address,
    admit: (request, socket) => connections.admit(socket, asSent(request).address),
    webOriginOf: (request) => foreignOrigin({ asSent }, request),
    allowsPage: (webOrigin) => apps.some(({ settings }) => allowsOrigin(settings.security.webOrigins, webOrigin)),
    onConnection: (connection) => dispatch.serve(connection),
    peerIdOf: (connection) => dispatch.peerIdOf(connection),
  })
  const stop = async () => {
    dispatch.beginStop()
    await server.stop()
    await dispatch.stop()
  }
  return { server, stop }
}
