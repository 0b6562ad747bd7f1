import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'

/**
 * Returns an upgrade request for another protocol than WebSocket to the HTTP server, without its upgrade headers, to be served as
 * a plain request: clients may offer HTTP/2 this way and accept HTTP/1. A server with an `upgrade` listener receives all upgrade
 * requests, and has stopped parsing the connection as HTTP by then.
 */
export function serveAsPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`, ...plainHeaders(request.rawHeaders)]
  // Headers are Latin-1, one character per byte.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  // A server for HTTPS would begin a handshake on a `connection`.
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket)
}

/** Returns the header lines without `Upgrade`. @param raw names and values, alternating */
function plainHeaders(raw: readonly string[]): string[] {
  const lines: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]!.toLowerCase() !== 'upgrade') lines.push(`${raw[index]}: ${raw[index + 1]}`)
  }
  return lines
}
