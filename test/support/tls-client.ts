import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

export interface TlsTarget {
  readonly port: number
  /** Host name that the certificate must be valid for. */
  readonly name: string
  /** Trusted root certificate in PEM. */
  readonly ca: string
}

/** Requests a path over HTTPS on a new connection, and returns the status and body. */
export async function getOver({ port, name, ca }: TlsTarget, path: string): Promise<{ status: number; body: string }> {
  const response = await open({ port, name, ca }, path)
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return { status: response.statusCode!, body }
}

/** Requests a path over HTTPS, and returns the response before its body has arrived. */
export async function open(
  { port, name, ca }: TlsTarget,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const sent = request({
    host: '127.0.0.1',
    port,
    servername: name,
    ca,
    path,
    headers: { host: name, ...headers },
    agent: false,
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

/** Makes a handshake with these options, and returns the open connection. */
export async function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ...options })
  await once(socket, 'secureConnect')
  socket.on('error', () => {})
  return socket
}

/** Returns the serial number of the certificate that a server presents for a host name. */
export async function serialOf({ port, name, ca }: TlsTarget): Promise<string> {
  const socket = await handshake(port, { servername: name, ca })
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}
