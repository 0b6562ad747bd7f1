import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CERTIFICATE, CERTIFICATE_KEY } from './stand-in-certificate.ts'

/** Returns the headers that a proxy sends to the server. */
export type PassOn = (headers: IncomingHttpHeaders, address: string) => OutgoingHttpHeaders

/** A usual proxy configuration: keeps the host and replaces `X-Forwarded-*`. */
export const asUsual: PassOn = (headers, address) => ({
  ...headers,
  'x-forwarded-for': address,
  'x-forwarded-proto': 'https',
  'x-forwarded-host': headers.host,
})

/**
 * Starts a proxy that accepts TLS and forwards plain HTTP and WebSockets to the server at `url`. It stops at `atEnd` (vitest's
 * `afterAll` or `onTestFinished`).
 * @returns its URL
 */
export async function startTlsProxy(
  url: string,
  atEnd: (end: () => Promise<void>) => void,
  passOn: PassOn = asUsual,
): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Duplex>()
  const requestServer = ({ method, url: path, headers, socket }: IncomingMessage) =>
    request({ hostname, port, method, path, headers: passOn(headers, socket.remoteAddress ?? '') })
  const proxy = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (incoming, answer) => {
    const outgoing = requestServer(incoming)
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    incoming.pipe(outgoing)
  })
  proxy.on('upgrade', (incoming, client: Duplex) => {
    const outgoing = requestServer(incoming)
    outgoing.on('upgrade', (response, server) => {
      const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`)
      client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      server.on('error', () => client.destroy())
      client.on('error', () => server.destroy())
      server.pipe(client).pipe(server)
    })
    outgoing.on('error', () => client.destroy())
    outgoing.end()
  })
  proxy.on('connection', (socket: Duplex) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  atEnd(async () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  return `https://localhost:${(proxy.address() as AddressInfo).port}`
}
