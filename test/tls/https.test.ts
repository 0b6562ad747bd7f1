import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { runningServer } from '../../src/data-directory.ts'
import { call } from '../support/app.ts'
import { closed } from '../support/closed.ts'
import { freePort } from '../support/free-port.ts'
import { makeHome } from '../support/home.ts'
import { makeCertificate } from '../support/made-certificate.ts'
import { runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { getOver, handshake } from '../support/tls-client.ts'

const ADMIN_TOKEN = 'token-of-the-administrator-of-https'
/** Connections that an address may have. No proxy is trusted, so this machine is counted. */
const MAX_CONNECTIONS = 16

const [first, second, rsa] = await Promise.all([
  makeCertificate(['localhost']),
  makeCertificate(['localhost']),
  makeCertificate(['localhost'], { keyType: 'rsa' }),
])
const home = makeHome(afterAll)
const [certFile, keyFile] = [join(home.directory, 'cert.pem'), join(home.directory, 'key.pem')]
const write = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key, { mode: 0o600 })
}
write(first)
const httpPort = await freePort()
const files = ['--tls-cert', certFile, '--tls-key', keyFile]
const server = await home.start(
  [
    ...files,
    ...['--http-port', String(httpPort), '--database-url', await newDatabase(), '--trusted-proxies', 'none'],
    ...['--connections-per-address', String(MAX_CONNECTIONS)],
  ],
  { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN },
)
const localUrl = runningServer(home.data)!.url!
const asAdministrator = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
// It is deleted with the database.
const app = (await call(localUrl, 'POST', '/admin/apps', asAdministrator, { name: 'test' })).body as {
  appId: string
  appKey: string
}
const port = Number(new URL(server.url).port)
const target = { port, name: 'localhost', ca: first.cert }
const open: (Socket | WebSocket)[] = []
afterEach(async () => {
  const ends = open.splice(0).map(async (one) => {
    const isClosed = one instanceof WebSocket ? one.readyState === WebSocket.CLOSED : one.closed
    const end = isClosed ? undefined : closed(one)
    if (one instanceof WebSocket) one.terminate()
    else one.destroy()
    await end
  })
  await Promise.all(ends)
})

function tcp(): Socket {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  open.push(socket)
  return socket
}

async function secured(options: Parameters<typeof handshake>[1] = {}): Promise<TLSSocket> {
  const socket = await handshake(port, { servername: 'localhost', ca: first.cert, ...options })
  open.push(socket)
  return socket
}

async function websocket(): Promise<WebSocket> {
  const socket = new WebSocket(`wss://localhost:${port}/`, 'lc.json.3', { ca: first.cert })
  open.push(socket)
  await once(socket, 'open')
  return socket
}

/** Makes a handshake. @returns the code of its failure; null when it succeeds */
async function failureOf(options: Parameters<typeof handshake>[1]): Promise<string | null> {
  try {
    await secured(options)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

describe('a server for HTTPS', () => {
  it('serves requests, also with unescaped characters and several on one connection', async () => {
    expect(server.url).toBe(`https://localhost:${port}`)
    expect((await getOver(target, '/health')).status).toBe(200)
    const socket = await secured()
    const created = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey, 'content-type': 'application/json' }
    expect((await call(localUrl, 'POST', '/1.1/classes/City', created, { name: '上海' })).status).toBe(201)
    const where = '/1.1/classes/City?where={"name":"上海"}'.replaceAll('"', '%22')
    const headers = `Host: localhost\r\nX-LC-Id: ${app.appId}\r\nX-LC-Key: ${app.appKey}\r\n`
    socket.write(`GET ${where} HTTP/1.1\r\n${headers}\r\nGET /1.1/date HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
    const responses = await text(socket)
    expect(responses.match(/HTTP\/1.1 200 OK\r/g)).toHaveLength(2)
    expect(responses).toContain('上海')
  })

  it('serves a request that offers another protocol, as HTTP/2 clients do', async () => {
    const socket = await secured()
    const offer = 'Connection: Upgrade, close, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK/)
  })

  it('accepts TLS 1.2 with the suites of old phones and TLS 1.3, and neither older versions nor weak suites', async () => {
    for (const ciphers of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'])
      expect(await failureOf({ maxVersion: 'TLSv1.2', ciphers }), ciphers).toBeNull()
    expect((await secured({ minVersion: 'TLSv1.3' })).getProtocol()).toBe('TLSv1.3')
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    expect(await failureOf(old)).not.toBeNull()
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'AES128-SHA', 'DHE-RSA-AES128-GCM-SHA256'])
      expect(await failureOf({ maxVersion: 'TLSv1.2', ciphers }), ciphers).not.toBeNull()
  })

  it('agrees on HTTP/1.1, and refuses clients that only offer HTTP/2 or a validation without an order', async () => {
    expect((await secured({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe('http/1.1')
    expect(await failureOf({ ALPNProtocols: ['h2'] })).not.toBeNull()
    expect(await failureOf({ ALPNProtocols: ['acme-tls/1'] })).not.toBeNull()
  })

  it('resumes sessions by tickets', async () => {
    const socket = await secured({ maxVersion: 'TLSv1.2' })
    const session = socket.getSession()!
    expect((await secured({ maxVersion: 'TLSv1.2', session })).isSessionReused()).toBe(true)
  })

  it('closes connections of clients that do not speak TLS', async () => {
    const socket = tcp()
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await text(socket)).not.toContain('HTTP/1.1 200')
    expect((await getOver(target, '/health')).status).toBe(200)
  })

  it('limits connections per address from before their handshake on, and counts a WebSocket once', async () => {
    // Connections that this process keeps for further requests are counted too.
    const [least, double] = [MAX_CONNECTIONS - 6, MAX_CONNECTIONS / 2]
    expect(least).toBeGreaterThan(double)
    const waiting = Array.from({ length: MAX_CONNECTIONS + 1 }, tcp)
    await Promise.race(waiting.map(closed))
    expect(waiting.filter((socket) => !socket.closed).length).toBeGreaterThan(least)
    for (const socket of waiting) socket.destroy()
    await expect.poll(() => failureOf({})).toBeNull()
    let held = 0
    const holdAll = async () => {
      for (; held <= MAX_CONNECTIONS; held++) await websocket()
    }
    await expect(holdAll()).rejects.toThrow()
    expect(held).toBeGreaterThan(least)
  })

  it('redirects plain HTTP, and is reached by programs of this machine without TLS', async () => {
    const redirect = () => fetch(`http://127.0.0.1:${httpPort}/1.1/date`, { redirect: 'manual' })
    // The server may not have noticed yet that the connections of the previous test are closed.
    await expect.poll(async () => (await redirect()).status).toBe(308)
    expect((await redirect()).headers.get('location')).toBe(`https://127.0.0.1:${port}/1.1/date`)
    expect(new URL(localUrl).hostname).toBe('127.0.0.1')
    expect((await fetch(`${localUrl}/health`)).status).toBe(200)
  })

  it('uses changed files for new connections, and keeps the open ones', async () => {
    const socket = await websocket()
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })
    write(second)
    const serial = async () => {
      const connection = await handshake(port, { servername: 'localhost', rejectUnauthorized: false })
      const found = connection.getPeerX509Certificate()!.toString()
      connection.destroy()
      return found.trim()
    }
    await expect.poll(serial, { timeout: 60_000, interval: 200 }).toBe(second.cert.trim())
    // Clients that name no host get it too.
    const nameless = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(nameless, 'secureConnect')
    expect(nameless.getPeerX509Certificate()!.toString().trim()).toBe(second.cert.trim())
    nameless.destroy()
    const response = once(socket, 'message')
    socket.send(JSON.stringify({ cmd: 'session', op: 'open', appId: app.appId, peerId: 'Tom', i: 1 }))
    expect(JSON.parse(String((await response)[0]))).toMatchObject({ op: 'opened' })
    expect(isClosed).toBe(false)
  })

  it('does not start with a key of another certificate, or if the port for plain HTTP is taken', async () => {
    const refusal = async (args: readonly string[]) => {
      const { code, stderr, stdout } = await runProgram(
        ['start', '--port', '0', '--data', join(home.directory, 'refused'), ...args],
        { HOMEPORT_LOG_LEVEL: 'error' },
      )
      expect(stdout).toBe('')
      return `${code} ${stderr.trim()}`
    }
    const otherKey = join(home.directory, 'other.pem')
    writeFileSync(otherKey, rsa.key)
    expect(await refusal(['--tls-cert', certFile, '--tls-key', otherKey])).toMatch(
      /^1 .*does not belong to the certificate[^\n]*$/,
    )
    expect(await refusal([...files, '--http-port', String(httpPort)])).toMatch(
      new RegExp(`^1 .*Port ${httpPort} is already in use .*--http-port[^\n]*$`),
    )
  })

  it('stops although a handshake is unfinished', async () => {
    const socket = tcp()
    await once(socket, 'connect')
    socket.write(Buffer.from([22, 3, 1]))
    expect(await server.stop()).toBe(0)
  })
})
