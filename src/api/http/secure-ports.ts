import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server } from '../server-context.ts'
import { type LocalListener, listenLocally } from './local-listener.ts'
import { createRedirectServer, redirectBase } from './redirect-server.ts'

export interface SecurePortsOptions {
  /** The server for HTTPS, which listens already. */
  readonly server: HttpServer
  readonly context: Pick<Server, 'connections' | 'publicUrl' | 'tls'>
  readonly names: readonly string[]
  readonly host: string
  /** Port for plain HTTP; null: none. */
  readonly httpPort: number | null
}

/** The ports beside that of a server for HTTPS. */
export interface SecurePorts {
  /** URL of the server for clients: of its first host name, else of this machine. */
  readonly url: string
  /** URL at which programs of this machine reach the server by plain HTTP. */
  readonly localUrl: string
  stop(): Promise<void>
}

/** Opens the port for plain HTTP, which redirects, and the port for this machine. */
export async function openSecurePorts(options: SecurePortsOptions): Promise<SecurePorts> {
  const { server, context, names, host, httpPort } = options
  const { connections, publicUrl, tls } = context
  const port = () => (server.address() as AddressInfo).port
  const baseUrlFor = (name: string | undefined) => redirectBase({ names, publicUrl, port }, name)
  const local: LocalListener = await listenLocally(server, connections)
  const redirects = createRedirectServer({ baseUrlFor, responses: tls?.responses ?? null, connections })
  if (httpPort !== null) {
    redirects.listen({ port: httpPort, host })
    await once(redirects, 'listening').catch(async (error: Error) => {
      await local.stop()
      throw error
    })
  }
  return {
    url: publicUrl ?? baseUrlFor(undefined),
    localUrl: local.url,
    async stop() {
      await local.stop()
      if (!redirects.listening) return
      const closed = once(redirects, 'close')
      redirects.close()
      redirects.closeAllConnections()
      await closed
    },
  }
}
