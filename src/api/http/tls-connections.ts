import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket as Secured, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import { addressKey } from '../../limits/address-key.ts'
import type { Connections } from '../../limits/connections.ts'
import { plainAddress } from '../../proxies.ts'
import { LoopSlicer } from '../../scheduling/loop-slicer.ts'
import { alpnKey } from '../../tls/acme-order.ts'
import { ACME_TLS, type ClientHello, parseClientHello } from '../../tls/client-hello.ts'
import type { Tls } from '../../tls/tls.ts'
import { TLS_SETTINGS } from '../../tls/tls-settings.ts'
import { takeConnection } from './connections.ts'

/** Milliseconds that a handshake may take; phones on slow networks need several seconds. */
const HANDSHAKE_TIMEOUT_MS = 20_000
/** Maximum handshakes of one address that begin in one iteration of the event loop before those of other addresses. */
const MAX_HANDSHAKES = 16
/** Milliseconds after which the key of session tickets is replaced: a stolen key decrypts recorded connections of this time. */
const TICKET_KEY_LIFETIME_MS = 24 * 3_600_000
/** Bytes of the key of session tickets, as OpenSSL requires. */
const TICKET_KEY_BYTES = 48

/** Returns the options of a server for HTTPS. HTTP/2 is not offered, because WebSockets of most clients require HTTP/1.1. */
export function httpsOptions({ certificates }: Tls): TlsOptions {
  return {
    ...TLS_SETTINGS,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    SNICallback(name, done) {
      const pair = certificates.pairFor(name.toLowerCase())
      if (pair) done(null, pair.context)
      else done(new Error('there is no certificate yet'))
    },
  }
}

/**
 * Makes a server for HTTPS admit connections by address before their handshake, serve the certificates in use, and respond to
 * validations of certificate authorities.
 * @returns a function that ends unfinished handshakes, for which a stopping server would wait
 */
export function takeTlsConnections(server: Server, tls: Tls, connections: Connections): { stop(): void } {
  // The only listener is that of Node, which begins the handshake.
  const [begin] = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const handshakes = new Map<string, Socket>()
  const slicer = new LoopSlicer(MAX_HANDSHAKES)
  const start = async (socket: Socket) => {
    if (tls.responses?.mayBeAsked) {
      const hello = await readClientHello(socket)
      if (hello?.protocols.includes(ACME_TLS)) return respondToValidation(tls, socket, hello)
    }
    if (!socket.destroyed) begin!.call(server, socket)
  }
  server.on('connection', (socket: Socket) => {
    // The client cannot read a response without a handshake.
    if (!takeConnection(connections, socket, destroy)) return
    const id = idOf(socket)
    handshakes.set(id, socket)
    socket.once('close', () => {
      if (handshakes.get(id) === socket) handshakes.delete(id)
    })
    const address = addressKey(plainAddress(socket.remoteAddress ?? ''))
    if (slicer.take(address)) void start(socket)
    else slicer.wait(address, () => void start(socket))
  })
  server.on('secureConnection', (secured: TLSSocket) => {
    const id = idOf(secured)
    const carrier = handshakes.get(id)
    if (carrier) connections.continueAs(carrier, secured)
    handshakes.delete(id)
  })
  // Otherwise the handler of invalid HTTP would respond, which a client without a handshake cannot read.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  const stopServing = serveDefault(server, tls)
  return {
    stop() {
      stopServing()
      for (const socket of handshakes.values()) socket.destroy()
    },
  }
}

/** Keeps the certificate for clients that name no host, and the key of session tickets. @returns a function that ends it */
function serveDefault(server: Server, { certificates }: Tls): () => void {
  const update = () => {
    const pair = certificates.pairFor(undefined)
    if (pair) server.setSecureContext({ ...TLS_SETTINGS, cert: pair.cert, key: pair.key })
  }
  update()
  certificates.onChange(update)
  const renewTicketKey = () => server.setTicketKeys(randomBytes(TICKET_KEY_BYTES))
  const timer = setInterval(renewTicketKey, TICKET_KEY_LIFETIME_MS).unref()
  return () => clearInterval(timer)
}

/** Returns what a TCP connection and the TLS connection on it have in common. */
function idOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}

/** Reads the first message of a client, and puts it back. @returns null when there is none */
function readClientHello(socket: Socket): Promise<ClientHello | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const end = (hello: ClientHello | null) => {
      clearTimeout(timer)
      socket.off('readable', read)
      socket.off('close', close)
      socket.off('error', ignore)
      if (bytes.length > 0 && !socket.destroyed) socket.unshift(bytes)
      resolve(hello)
    }
    const read = () => {
      const chunk = socket.read() as Buffer | null
      if (chunk === null) return
      bytes = Buffer.concat([bytes, chunk])
      const hello = parseClientHello(bytes)
      if (hello !== 'incomplete') end(hello)
    }
    const close = () => end(null)
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS)
    socket.on('readable', read)
    socket.on('close', close)
    socket.on('error', ignore)
  })
}

/** Makes the handshake of TLS-ALPN-01 (RFC 8737), which proves that this server controls the host name. */
async function respondToValidation({ responses }: Tls, socket: Socket, { serverName }: ClientHello): Promise<void> {
  socket.on('error', ignore)
  try {
    const pem = await responses!.find(alpnKey(serverName ?? ''))
    if (pem === null || socket.destroyed) return void socket.destroy()
    const secureContext = createSecureContext({ ...TLS_SETTINGS, cert: pem, key: pem })
    const secured = new Secured(socket, { isServer: true, secureContext, ALPNProtocols: [ACME_TLS] })
    secured.setTimeout(HANDSHAKE_TIMEOUT_MS, () => secured.destroy())
    secured.on('error', ignore)
    secured.once('secure', () => secured.end())
  } catch {
    // The store cannot be read; the authority reports a failed validation.
    socket.destroy()
  }
}

function destroy(socket: Socket): void {
  socket.destroy()
}

function ignore(): void {}
