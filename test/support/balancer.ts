import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A load balancer in front of several servers, with one URL for clients. */
export interface Balancer {
  readonly url: string
  /** Routes new connections to the server at this URL. */
  leadTo(url: string): void
  /** Withholds server data for the connected clients from now on. */
  holdAnswers(): void
}

/** Starts a balancer, which stops at `atEnd` (vitest's `afterAll` or `onTestFinished`). */
export async function startBalancer(url: string, atEnd: (end: () => Promise<void>) => void): Promise<Balancer> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const toClients = new Map<Socket, Socket>()
  const balancer = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    toClients.set(server, client)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  balancer.listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  atEnd(async () => {
    balancer.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    leadTo(another) {
      target = new URL(another)
    },
    holdAnswers() {
      for (const [server, client] of toClients) server.unpipe(client).resume()
    },
  }
}
