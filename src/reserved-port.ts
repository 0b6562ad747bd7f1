import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Milliseconds that a connection may take to send a request while the server starts, and maximum number of such connections. */
const TIMEOUT = 5000
const MAX_CONNECTIONS = 1000

const BODY = JSON.stringify({ status: 'starting', code: 511, error: 'The server is starting. Try again later.' })
const RESPONSE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Retry-After: 1',
  'Access-Control-Allow-Origin: *',
  'Connection: close',
  '',
  BODY,
].join('\r\n')

/** A port that is bound while the server starts. */
export interface ReservedPort {
  /** The port; for a requested port 0 the one that the system has selected. */
  readonly port: number
  /** Frees the port, so that the server can bind it. */
  release(): Promise<void>
}

export interface PortOptions {
  /** The option that sets the port, for error texts. */
  readonly flag: string
  /** Whether clients of the port speak TLS: their connections are closed, because no response could be read. */
  readonly isTls: boolean
}

/**
 * Binds a port before anything is created, so that a start whose port is taken changes nothing and does not use up the output of
 * the first start. Until the port is released, requests are answered with 503: clients and load balancers try again.
 * @param port 0 for a free port
 * @throws Error with one line for the user when the port cannot be bound
 */
export async function reservePort(
  port: number,
  host: string,
  { flag, isTls }: PortOptions = { flag: '--port', isTls: false },
): Promise<ReservedPort> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(TIMEOUT, () => socket.destroy())
    // The rest of a request is read and discarded; a connection closed with unread bytes would be reset before the response arrives.
    socket.once('data', () => (isTls ? socket.destroy() : socket.end(RESPONSE))).resume()
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen({ port, host })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Error(reasonOf(error as NodeJS.ErrnoException, port, host, flag))
  }
  return {
    port: (server.address() as AddressInfo).port,
    async release() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException, port: number, host: string, flag: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use by another program. Stop that program, or choose another port with ${flag}.`
    case 'EACCES':
      return `Permission denied for port ${port}. Ports below 1024 require root or the capability CAP_NET_BIND_SERVICE; or choose another port with ${flag}.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address '${host}'. Set --host to one of its addresses, or to 0.0.0.0 for all.`
    default:
      return `Cannot listen on port ${port}: ${message}`
  }
}
