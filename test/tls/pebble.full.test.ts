import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { connect as connectTcp, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { runningServer } from '../../src/data-directory.ts'
import { makeApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { go, installGo } from '../support/go.ts'
import { type Home, makeHome } from '../support/home.ts'
import { HMAC_KEY, KEY_ID, PEBBLE, type Pebble, type PebbleOptions, startPebble } from '../support/pebble.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { getOver, handshake, open, serialOf } from '../support/tls-client.ts'

const NAMES = ['localhost', 'files.homeport.test'] as const
const ADMIN_TOKEN = 'token-of-the-administrator-of-tls'
const LIMIT_MS = 400_000

const pebbleProgram = go && (await installGo(PEBBLE, afterAll))
const databaseUrls = go ? { 'http-01': await newDatabase(), 'tls-alpn-01': await newDatabase() } : null

function authority(options: PebbleOptions): Promise<Pebble> {
  return startPebble(pebbleProgram!, options, onTestFinished)
}

/** Starts a server that orders certificates from an authority. */
async function startServer(
  pebble: Pebble,
  ports: { https: number; http: number | 'none' },
  options: readonly string[] = [],
) {
  const home = makeHome(onTestFinished)
  const domain = ['--domain', NAMES.join(','), '--acme-directory', pebble.directory]
  const args = ['--port', String(ports.https), '--http-port', String(ports.http), ...domain, ...options]
  const program = await home.start(args, {
    ...pebble.environment,
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
    HOMEPORT_LOG_LEVEL: 'info',
  })
  return { home, program, app: await makeApp(localUrl(home), ADMIN_TOKEN) }
}

function localUrl({ data }: Home): string {
  return runningServer(data)!.url!
}

function ordersOf(pebble: Pebble): number {
  return pebble.output().match(/There are now \d+ orders/g)?.length ?? 0
}

test.skipIf(go === null)(
  'orders certificates by HTTP-01, and serves the API, files and chats of official clients by them',
  async () => {
    const [https, http] = [await freePort(), await freePort()]
    const pebble = await authority({ httpPort: http, tlsPort: https })
    const { home, program, app } = await startServer(pebble, { https, http })
    expect(program.url).toBe(`https://localhost:${https}`)
    const targets = NAMES.map((name) => ({ port: https, name, ca: pebble.root }))
    for (const target of targets) expect((await getOver(target, '/health')).status).toBe(200)
    expect(await serialOf(targets[0]!)).not.toBe(await serialOf(targets[1]!))

    const { appId, appKey, masterKey } = app
    const headers = { 'x-lc-id': appId, 'x-lc-key': `${masterKey},master` }
    const upload = await app.request('POST', '/1.1/files/hello.txt', { body: { base64: 'aGVsbG8=' }, master: true })
    const { body } = upload.body.url ? upload : await app.request('GET', '/1.1/files', { master: true })
    expect(String(body.url ?? '')).toMatch(new RegExp(`^https://files.homeport.test:${https}/`))
    const stored = await open(targets[1]!, new URL(body.url).pathname, headers)
    expect(stored.statusCode).toBe(200)
    stored.destroy()

    const run = (script: URL) =>
      promisify(execFile)(process.execPath, [fileURLToPath(script), program.url, appId, appKey], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: pebble.rootFile },
        timeout: LIMIT_MS,
      })
    const chat = new URL('../support/chat-over-tls.mjs', import.meta.url)
    const objects = new URL('../support/objects-over-tls.mjs', import.meta.url)
    expect((await run(chat)).stdout).toBe('hello over TLS')
    expect((await run(objects)).stdout).toBe('stored over TLS')

    for (const file of ['localhost.pem', 'localhost.json']) {
      expect(statSync(`${home.data}/tls/${file}`).mode & 0o777, file).toBe(0o600)
    }
    expect(program.output()).not.toContain('PRIVATE KEY')

    // Handshakes for other names get the certificate of the first name, and no order.
    const orders = ordersOf(pebble)
    expect(orders).toBe(2)
    for (const servername of ['unknown.example.org', 'a.localhost', 'xn--0']) {
      const socket = await handshake(https, { servername, rejectUnauthorized: false })
      expect(socket.getPeerCertificate().subjectaltname).toBe('DNS:localhost')
      socket.destroy()
    }
    const redirected = await fetch(`http://localhost:${http}/1.1/date`, { redirect: 'manual' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([
      308,
      `https://localhost:${https}/1.1/date`,
    ])
    expect(ordersOf(pebble)).toBe(orders)
    await program.stop()

    // A restart uses the stored certificates.
    const again = await home.start(
      [
        '--port',
        String(https),
        '--http-port',
        'none',
        '--domain',
        NAMES.join(','),
        '--acme-directory',
        pebble.directory,
      ],
      pebble.environment,
    )
    for (const target of targets) expect((await getOver(target, '/health')).status).toBe(200)
    expect(ordersOf(pebble)).toBe(orders)
    await again.stop()
  },
  LIMIT_MS,
)

test.skipIf(go === null)(
  'orders certificates by TLS-ALPN-01 when no port accepts plain HTTP, with an external account and RSA keys',
  async () => {
    const https = await freePort()
    const pebble = await authority({ httpPort: await freePort(), tlsPort: https, requiresExternalAccount: true })
    const home = makeHome(onTestFinished)
    const options = ['--port', String(https), '--http-port', 'none', '--domain', NAMES.join(',')]
    const account = ['--acme-directory', pebble.directory, '--acme-key-id', KEY_ID, '--acme-email', 'tls@example.org']
    const program = await home.start([...options, ...account, '--acme-key-type', 'rsa'], {
      ...pebble.environment,
      HOMEPORT_ACME_HMAC_KEY: HMAC_KEY,
    })
    for (const name of NAMES) {
      expect((await getOver({ port: https, name, ca: pebble.root }, '/health')).status).toBe(200)
      const socket = await handshake(https, { servername: name, ca: pebble.root })
      expect(socket.getPeerX509Certificate()!.publicKey.asymmetricKeyType).toBe('rsa')
      socket.destroy()
    }
    expect(program.output()).not.toContain('failed')
    await program.stop()
  },
  LIMIT_MS,
)

test.skipIf(go === null)(
  'renews certificates without interrupting a WebSocket and a download, and keeps the old ones while the authority is away',
  async () => {
    const [https, http] = [await freePort(), await freePort()]
    // Seconds; renewed after two thirds.
    const lifetime = 30
    const pebble = await authority({ httpPort: http, tlsPort: https, lifetime })
    const { program, app } = await startServer(pebble, { https, http })
    const target = { port: https, name: NAMES[0], ca: pebble.root }
    const first = await serialOf(target)

    const socket = new WebSocket(`wss://localhost:${https}/`, 'lc.json.3', { ca: pebble.root })
    await once(socket, 'open')
    const command = async (fields: object) => {
      const response = once(socket, 'message')
      socket.send(JSON.stringify({ appId: app.appId, peerId: 'Tom', i: 1, ...fields }))
      return JSON.parse(String((await response)[0])) as { cmd: string; op?: string }
    }
    expect(await command({ cmd: 'session', op: 'open' })).toMatchObject({ cmd: 'session', op: 'opened' })
    let isClosed = false
    socket.on('close', () => (isClosed = true))
    const bytes = 20 * 1024 * 1024
    const { body: file } = await app.request('POST', '/1.1/fileTokens', {
      body: { name: 'large.bin', key: 'large.bin', __type: 'File', metaData: { size: bytes } },
      master: true,
    })
    const put = await fetch(file.upload_url.replace(/^https:\/\/[^/]+/, app.url), {
      method: 'PUT',
      body: Buffer.alloc(bytes, 7),
    })
    expect(put.status).toBeLessThan(300)
    const download = await open(target, new URL(file.url).pathname)
    expect(download.statusCode).toBe(200)
    let received = 0
    // A client on a slow network, whose download begins before and ends after the renewal.
    const serialWhileReading = () => {
      received += (download.read(64 * 1024) as Buffer | null)?.length ?? 0
      return serialOf(target)
    }
    await expect.poll(serialWhileReading, { timeout: 120_000, interval: 500 }).not.toBe(first)
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(bytes)
    for await (const chunk of download) received += (chunk as Buffer).length
    expect(received).toBe(bytes)
    expect(isClosed).toBe(false)
    expect(await command({ cmd: 'session', op: 'query', sessionPeerIds: ['Tom'] })).toMatchObject({ cmd: 'session' })
    socket.terminate()

    // An order that the authority does not finish would take longer to fail than a new one.
    await expect.poll(() => program.output().match(/certificate ordered/g)?.length, { timeout: 120_000 }).toBe(4)
    await pebble.stop()
    const last = await serialOf(target)
    await expect.poll(() => program.output(), { timeout: 120_000 }).toMatch(/ordering certificate failed/)
    expect(await serialOf(target)).toBe(last)
    await program.stop()
  },
  LIMIT_MS,
)

/** Starts a port whose connections lead to these ports in turn, as a balancer does. */
async function balance(ports: readonly number[]): Promise<number> {
  let count = 0
  const server = createServer((client) => {
    const node = connectTcp(ports[count++ % ports.length]!, '127.0.0.1')
    node.on('error', () => client.destroy())
    client.on('error', () => node.destroy())
    client.pipe(node).pipe(client)
  })
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as { port: number }).port
}

test.skipIf(go === null).each(['http-01', 'tls-alpn-01'] as const)(
  'of two nodes, one orders by %s, either responds to the authority, and both serve the certificate',
  async (challenge) => {
    const https = [await freePort(), await freePort()]
    const http = [await freePort(), await freePort()]
    const pebble = await authority({ httpPort: await balance(http), tlsPort: await balance(https) })
    const databaseUrl = databaseUrls![challenge]
    const programs = await Promise.all(
      [0, 1].map((node) =>
        makeHome(onTestFinished).start(
          [
            ...['--port', String(https[node]), '--http-port', challenge === 'http-01' ? String(http[node]) : 'none'],
            ...['--domain', NAMES[0], '--acme-directory', pebble.directory, '--database-url', databaseUrl],
          ],
          { ...pebble.environment, HOMEPORT_LOG_LEVEL: 'info' },
        ),
      ),
    )
    const targets = https.map((port) => ({ port, name: NAMES[0], ca: pebble.root }))
    await expect
      .poll(() => Promise.all(targets.map((target) => serialOf(target).catch(() => null))), { timeout: 60_000 })
      .not.toContain(null)
    expect(await serialOf(targets[0]!)).toBe(await serialOf(targets[1]!))
    expect(ordersOf(pebble)).toBe(1)
    const ordered = programs.filter((program) => program.output().includes('certificate ordered'))
    expect(ordered).toHaveLength(1)
    for (const program of programs) await program.stop()
  },
  LIMIT_MS,
)
