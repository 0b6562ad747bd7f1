import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { TLSSocket } from 'node:tls'

export interface UnusableSmtpOptions {
  /** The password that it accepts. */
  readonly password: string
  /** Offers STARTTLS with this certificate; null: it offers STARTTLS and then has no certificate; omitted: no STARTTLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | null
}

/**
 * Starts a mail server on a port of this machine that requires a login and fails as configured.
 * @returns its port, and the commands that it has received
 */
export async function startUnusableSmtp(
  options: UnusableSmtpOptions,
  atEnd: (end: () => Promise<void>) => void,
): Promise<{ readonly port: number; readonly commands: readonly string[] }> {
  const sockets = new Set<Socket>()
  const commands: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}))
    socket.write('220 stand-in\r\n')
    void converse(socket, options, commands).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, commands }
}

async function converse(socket: Socket, { password, tls }: UnusableSmtpOptions, commands: string[]): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  const isPlain = !(socket instanceof TLSSocket)
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    const command = line.slice(0, 4).toUpperCase()
    commands.push(command)
    if (command === 'EHLO') {
      say('250-stand-in')
      if (isPlain && tls !== undefined) say('250-STARTTLS')
      say('250 AUTH PLAIN')
    } else if (command === 'STAR') {
      say('220 ready')
      lines.close()
      const upgraded = new TLSSocket(socket, { isServer: true, ...tls }).on('error', () => {})
      return converse(upgraded, { password, ...(tls !== undefined && { tls }) }, commands)
    } else if (command === 'AUTH') {
      const [, , given] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0')
      say(given === password ? '235 ok' : '535 5.7.8 authentication failed')
    } else if (command === 'QUIT') {
      say('221 bye')
      socket.end()
    } else say('250 ok')
  }
}
