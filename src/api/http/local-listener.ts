import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Connections } from '../../limits/connections.ts'
import { takeConnection } from './connections.ts'

/** A port of a server for HTTPS that accepts plain HTTP from this machine. */
export interface LocalListener {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Makes a server for HTTPS reachable by plain HTTP on the loopback interface, at a free port: commands of this machine work while
 * there is no certificate, and certificates are not valid for `localhost`.
 */
export async function listenLocally(server: Server, connections: Connections): Promise<LocalListener> {
  const open = new Set<Socket>()
  const listener = createServer((socket) => {
    if (!takeConnection(connections, socket)) return
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // The server handles it like a connection whose handshake is complete.
    server.emit('secureConnection', socket)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
