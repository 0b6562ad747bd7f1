import { once } from 'node:events'
import { createServer, IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { queryObjects } from 'node:v8'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { runs } from '../../test/support/runs.ts'
import { endConnections } from '../api/http/connections.ts'
import { decode, encode } from '../realtime-protocol/codec.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import type { Connection } from './connection.ts'
import { LoginQueue } from './login-queue.ts'
import { RealtimeServer, type RealtimeServerOptions } from './realtime-server.ts'

const log = pino({ level: 'silent' })
const stops: (() => void)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** An HTTP server that echoes its requests, with WebSockets beside it. */
async function serve(options: Partial<RealtimeServerOptions> = {}) {
  const http = createServer(async (request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.host} ${await text(request)}`)
  })
  const connections: Connection[] = []
  const onConnection = (connection: Connection) => void connections.push(connection)
  const realtime = new RealtimeServer({ log, onConnection, grace: 50, ...options })
  realtime.attach(http)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  stops.push(() => void realtime.stop().then(() => http.close()))
  return { http, realtime, connections, port: (http.address() as AddressInfo).port }
}

/** A client that begins its handshake. */
function knock(port: number, path = '/', subprotocols: string | string[] = 'lc.protobuf2.3'): WebSocket {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, subprotocols)
  client.on('error', () => {})
  stops.push(() => client.terminate())
  return client
}

/** A client, with the data that it receives and the close code of its connection. */
async function open(...args: Parameters<typeof knock>) {
  const client = knock(...args)
  const received: GenericCommand[] = []
  client.on('message', (data) => received.push(decode(data as Buffer, 'protobuf')))
  const closed = once(client, 'close').then(([code]) => code as number)
  await once(client, 'open')
  return { client, received, closed }
}

/** The status and the body of a rejected handshake. */
async function refusal(client: WebSocket): Promise<[number | undefined, string]> {
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  return [response.statusCode, await text(response)]
}

/** Sends bytes and reads until the server ends the connection. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  return text(socket)
}

const closeOf = (http: Server) => once(http.close(), 'close')

describe('a handshake', () => {
  it('is rejected with a time to retry when too many are waiting', async () => {
    const { port, realtime } = await serve({ logins: new LoginQueue(0) })
    const [, response] = (await once(knock(port), 'unexpected-response')) as [unknown, IncomingMessage]
    expect(response.statusCode).toBe(503)
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(2)
    expect(JSON.parse(await text(response))).toEqual({ code: 1, error: 'Too many clients come at once.' })
    expect(realtime.connections).toBe(0)
  })

  it.each(['/', '/1.1/classes/Post', '/any/path?with=query', '//'])('is accepted at the path %s', async (path) => {
    const { port, realtime } = await serve()
    await open(port, path)
    expect(realtime.connections).toBe(1)
  })

  it.each(['lc.protobuf2.1', 'lc.protobuf2.3', 'lc.proto2base64.1', 'lc.proto2base64.3', 'lc.json.1', 'lc.json.3'])(
    'gets the offered subprotocol without extensions: %s',
    async (subprotocol) => {
      const { port } = await serve()
      const { client } = await open(port, '/', subprotocol)
      expect(client).toMatchObject({ protocol: subprotocol, extensions: '' })
    },
  )

  it('gets the first known one of several subprotocols', async () => {
    const { port, connections } = await serve()
    const { client } = await open(port, '/', ['lc.protobuf9.9', 'lc.proto2base64.1', 'lc.json.3'])
    expect(client.protocol).toBe('lc.proto2base64.1')
    expect(connections[0]).toMatchObject({ encoding: 'base64', version: 1 })
  })

  it('may name the subprotocol in its URL, as in mini-programs, and gets none in the response', async () => {
    const { port, connections } = await serve()
    const { client } = await open(port, '/?subprotocol=lc.proto2base64.3', [])
    expect(client.protocol).toBe('')
    expect(connections[0]).toMatchObject({ encoding: 'base64', version: 3 })
  })

  it.each([[[]], [['lc.protobuf3.3']], [['chat']]])('is rejected with 400 for the subprotocols %j', async (offered) => {
    const { port, realtime } = await serve()
    const [status, body] = await refusal(knock(port, '/', offered))
    expect(status).toBe(400)
    expect(JSON.parse(body)).toEqual({ code: 1, error: expect.stringContaining('subprotocol') })
    expect(realtime.connections).toBe(0)
  })

  const handshake = (headers: string) =>
    `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: lc.json.3\r\n${headers}\r\n\r\n`

  it.each([
    ['without a key', 'Sec-WebSocket-Version: 13'],
    ['with a broken key', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: abc'],
    ['of another version', 'Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
  ])('is rejected with 400 and a JSON body: %s', async (_fault, headers) => {
    const { port } = await serve()
    const answer = await exchange(port, handshake(headers))
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({ code: 1, error: expect.any(String) })
  })

  it('leaves no data of its request behind', async () => {
    const { port } = await serve()
    const before = queryObjects(IncomingMessage, { format: 'count' })
    for (let count = 0; count < 20; count++) {
      // A raw socket, because a client of this process would keep the response.
      const socket = connect(port, '127.0.0.1')
      stops.push(() => socket.destroy())
      socket.write(handshake('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='))
      await once(socket, 'data')
    }
    expect(queryObjects(IncomingMessage, { format: 'count' }) - before).toBeLessThan(3)
  })
})

describe('other requests', () => {
  it('are served by the HTTP server, also several on one connection', async () => {
    const { port } = await serve()
    const answer = await exchange(
      port,
      'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyGET /b HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('POST /a x body')
    expect(answer).toContain('GET /b y ')
  })

  it('are served when they ask for another protocol, with their body and in sequence', async () => {
    const { port, realtime } = await serve()
    const socket = connect(port, '127.0.0.1')
    stops.push(() => socket.destroy())
    const wish = 'Connection: keep-alive, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    const answers: string[] = []
    for (const request of [
      `POST /a HTTP/1.1\r\nHost: x\r\n${wish}Content-Length: 4\r\n\r\nbody`,
      `GET /b HTTP/1.1\r\nHost: y\r\n${wish}\r\n`,
      'GET /c HTTP/1.1\r\nHost: z\r\n\r\n',
    ]) {
      socket.write(request)
      const [answer] = await once(socket, 'data')
      answers.push(String(answer))
    }
    const requests = ['POST /a x body', 'GET /b y ', 'GET /c z ']
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
      expect(answer).toContain(requests[index])
    }
    expect(realtime.connections).toBe(0)
  })

  it('may send their body after the server has received their headers', async () => {
    const { port, http } = await serve()
    const socket = connect(port, '127.0.0.1')
    socket.write(
      'POST /a HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    await once(http, 'request')
    socket.write('4\r\nbody\r\n0\r\n\r\n')
    expect(await text(socket)).toContain('POST /a x ')
  })
})

describe('connections', () => {
  it('are closed when their clients are silent', async () => {
    const { port } = await serve({ timeouts: { login: 30, silence: 60_000 }, sweepInterval: 10 })
    expect(await (await open(port)).closed).toBe(4108)
    const { port: other } = await serve({ timeouts: { login: 60_000, silence: 30 }, sweepInterval: 10 })
    expect(await (await open(other)).closed).toBe(4107)
  })

  it('are cut off when more than the maximum is waiting for a client, without affecting others', async () => {
    const { port, connections, realtime } = await serve({ maxWaiting: 256 * 1024 })
    const [deaf, other] = [await open(port), await open(port)]
    deaf.client.pause()
    const command: GenericCommand = { cmd: 'direct', directMessage: { msg: 'x'.repeat(60_000) } }
    await vi.waitUntil(
      () => {
        for (const connection of connections) for (let count = 0; count < 3; count++) connection.send(command)
        return realtime.connections === 1
      },
      { timeout: 60_000, interval: 5 },
    )
    const seen = other.received.length
    await vi.waitFor(() => expect(other.received.length).toBeGreaterThan(seen), 10_000)
    expect(other.client.readyState).toBe(WebSocket.OPEN)
  })

  it('survive arbitrary bytes from other sockets', async () => {
    const { port, realtime } = await serve()
    const good = await open(port)
    const bytes = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(bytes, async (chunks) => {
        const socket: Socket = connect(port, '127.0.0.1')
        socket.write(
          'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
            'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: lc.protobuf2.3\r\n\r\n',
        )
        await once(socket, 'data')
        // Data that the server no longer reads may cause an error of the connection.
        socket.on('error', () => {})
        const closed = new Promise((resolve) => socket.once('close', resolve))
        for (const chunk of chunks) socket.write(chunk)
        socket.end()
        socket.resume()
        await closed
      }),
      runs(200),
    )
    await vi.waitFor(() => expect(realtime.connections).toBe(1), 10_000)
    good.client.send(encode({ cmd: 'echo', i: 1 }, 'protobuf'))
    await vi.waitFor(() => expect(good.received).toEqual([{ cmd: 'echo', i: 1 }]), 10_000)
  })
})

describe('goaway', () => {
  it('is sent to every client, with the id of one that is online on its connection', async () => {
    const { port, realtime, connections } = await serve({
      peerIdOf: (connection) => (connection === connections[0] ? 'tom' : undefined),
    })
    const [first, second] = [await open(port), await open(port)]
    realtime.goAway()
    await vi.waitFor(() => expect([...first.received, ...second.received]).toHaveLength(2), 10_000)
    expect(first.received).toEqual([{ cmd: 'goaway', peerId: 'tom' }])
    expect(second.received).toEqual([{ cmd: 'goaway' }])
    expect(realtime.connections).toBe(2)
  })
})

describe('stopping', () => {
  it('asks clients to disconnect, closes the remaining ones, and ends those that do not answer', async () => {
    const { port, realtime, http } = await serve({ grace: 50 })
    const [obedient, stubborn, deaf] = [await open(port), await open(port), await open(port)]
    obedient.client.once('message', () => obedient.client.close(3000))
    deaf.client.pause()
    // The grace period of the server ends when the expected clients have disconnected, however long they take.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const stopped = realtime.stop()
    expect(await obedient.closed).toBe(3000)
    await vi.advanceTimersByTimeAsync(50)
    expect(await stubborn.closed).toBe(1000)
    await vi.advanceTimersByTimeAsync(50)
    await stopped
    expect(realtime.connections).toBe(0)
    expect(stubborn.received).toEqual([{ cmd: 'goaway' }])
    deaf.client.resume()
    await deaf.closed
    await closeOf(http)
  })

  it('waits no longer than the last client stays', async () => {
    const { port, realtime } = await serve({ grace: 60_000 })
    const { client } = await open(port)
    client.once('message', () => client.close())
    await realtime.stop()
    expect(realtime.connections).toBe(0)
  })

  it('rejects new connections with 503', async () => {
    const { port, realtime } = await serve()
    await open(port)
    const stopped = realtime.stop()
    const [status] = await refusal(knock(port))
    expect(status).toBe(503)
    await stopped
  })

  it('keeps its connections when the HTTP server closes its own', async () => {
    const { port, realtime, http } = await serve()
    const { client, received } = await open(port)
    const httpClosed = closeOf(http)
    endConnections(http)
    http.closeAllConnections()
    client.send(encode({ cmd: 'echo', i: 1 }, 'protobuf'))
    await vi.waitFor(() => expect(received).toEqual([{ cmd: 'echo', i: 1 }]), 10_000)
    await realtime.stop()
    await httpClosed
  })
})
