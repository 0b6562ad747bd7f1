import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Gives a request that asks for another protocol than WebSocket back to the HTTP server, without that wish, so that it is
 * answered as any other: clients may ask for HTTP/2 this way and are content without it. A server that takes upgrades at
 * all is handed all of them, and has stopped to read the connection as HTTP by then.
 */
export function serveAsPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`, ...plainHeaders(request.rawHeaders)]
  // Headers are read as Latin-1, each byte a character.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}

/** @param raw names and values in turn */
function plainHeaders(raw: readonly string[]): string[] {
  const lines: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]!.toLowerCase() !== 'upgrade') lines.push(`${raw[index]}: ${raw[index + 1]}`)
  }
  return lines
}
