import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What stands in front of several servers: clients reach whichever of them it leads to, at one address. */
export interface Balancer {
  readonly url: string
  /** Leads new connections to the server at this URL. */
  leadTo(url: string): void
  /** From now on keeps back what servers send to the clients that are connected. */
  holdAnswers(): void
}

/** Starts a balancer. It ends when `atEnd` (vitest's `afterAll` or `onTestFinished`) comes. */
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
