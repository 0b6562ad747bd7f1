import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { closed } from '../support/closed.ts'

/** A connection that can send arbitrary bytes. */
export interface RawHttp {
  readonly socket: Socket
  send(text: string | Buffer): void
  /** Resolves with the first line of the response; '' when the connection closes without one. */
  readonly statusLine: Promise<string>
  /** Resolves with all received data once the server has closed the connection. */
  readonly ended: Promise<string>
}

/** Connects to the server of a URL; the connection closes with the test. */
export async function connectRaw(url: string): Promise<RawHttp> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  // Errors are detected by the close event.
  socket.on('error', () => {})
  let received = ''
  const first = deferred()
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const end = received.indexOf('\r\n')
    if (end >= 0) first.resolve(received.slice(0, end))
  })
  const ended = closed(socket).then(() => {
    first.resolve('')
    return received
  })
  await once(socket, 'connect')
  return { socket, send: (text) => void socket.write(text), statusLine: first.promise, ended }
}

function deferred() {
  let resolve: (text: string) => void = () => {}
  const promise = new Promise<string>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Returns the status of a request whose path is sent unchanged. */
export async function statusOf(url: string, method: string, path: string, headers: readonly string[] = []) {
  const { host } = new URL(url)
  const raw = await connectRaw(url)
  raw.send([`${method} ${path} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers, '', ''].join('\r\n'))
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(await raw.statusLine)?.[1] ?? 0)
  return { status, text: await raw.ended }
}
