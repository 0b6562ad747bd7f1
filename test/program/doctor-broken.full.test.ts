import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { runChecks } from '../../src/doctor/run-checks.ts'
import { call, makeApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { type Home, makeHome } from '../support/home.ts'
import { MAIN, type Program } from '../support/program.ts'
import { makeRedis, redisServer } from '../support/redis.ts'
import { newDatabase } from '../support/scratch-database.ts'
import {
  CERTIFICATE,
  CERTIFICATE_KEY,
  EXPIRED_CERTIFICATE,
  EXPIRED_SERVER_CERTIFICATE,
  EXPIRED_SERVER_KEY,
} from '../support/stand-in-certificate.ts'
import { startUnusableSmtp } from '../support/unusable-smtp.ts'

const TOKEN = 'token-of-the-administrator-of-the-doctor'

interface Finding {
  readonly level: string
  readonly id: string
  readonly text: string
  readonly fix: string | null
}

/** Runs `homeport doctor --json`. */
async function doctor(options: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json', ...options], environment)
  expect(stderr).toBe('')
  return { code, stdout, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings }
}

/** Expects a problem, and a sentence that says how to fix it. */
function expectProblem(findings: readonly Finding[], level: string, id: string, text: RegExp, fix: RegExp): void {
  const found = findings.find((finding) => finding.id === id)
  expect(found, `${id} in ${JSON.stringify(findings.map((finding) => finding.id))}`).toBeDefined()
  expect(found).toMatchObject({ level, text: expect.stringMatching(text), fix: expect.stringMatching(fix) })
}

/** Starts an HTTP server on a port of this machine, with TLS if it has a certificate. */
async function serve(
  atEnd: (end: () => Promise<void>) => void,
  listener: RequestListener,
  tls?: { readonly cert: string; readonly key: string },
): Promise<number> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, tls ? '0.0.0.0' : '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** Rejects each request as S3 rejects a wrong secret. */
const rejectSignature: RequestListener = (_, response) => {
  response.writeHead(403, { 'content-type': 'application/xml' })
  response.end('<Error><Code>SignatureDoesNotMatch</Code><Message>wrong secret</Message></Error>')
}

describe('a server with ten broken parts', () => {
  const home: Home = makeHome(afterAll)
  let server: Program
  let app: TestApp
  let findings: readonly Finding[]
  let output = ''
  const cleanups: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
  })
  const commands: { list: readonly string[] } = { list: [] }

  beforeAll(async () => {
    const atEnd = (cleanup: () => Promise<void>) => void cleanups.push(cleanup)
    const smtp = await startUnusableSmtp({ password: 'right' }, atEnd)
    commands.list = smtp.commands
    const s3 = await serve(atEnd, rejectSignature)
    const another = await serve(atEnd, (_, response) => void response.end('Welcome to nginx!'))
    const expired = await serve(atEnd, (_, response) => void response.end(), {
      cert: EXPIRED_SERVER_CERTIFICATE,
      key: EXPIRED_SERVER_KEY,
    })
    const late = await serve(atEnd, (_, response) => {
      response.writeHead(200, { date: new Date(Date.now() - 3_600_000).toUTCString() })
      response.end()
    })
    server = await home.start(['--public-url', `http://127.0.0.1:${another}`], {
      HOMEPORT_ADMIN_TOKEN: TOKEN,
      HOMEPORT_SMTP_URL: `smtp://ann%40example.org:guarded-smtp@127.0.0.1:${smtp.port}`,
      HOMEPORT_REDIS_URL: `redis://:guarded-redis@127.0.0.1:${await freePort()}`,
      HOMEPORT_SEARCH_URL: `http://elastic:guarded-search@127.0.0.1:${await freePort()}`,
      HOMEPORT_FILES_URL: `s3://KEY:guarded-s3@bucket/files?endpoint=http://127.0.0.1:${s3}&pathStyle=true`,
      HOMEPORT_FILES_PUBLIC_URL: `https://localhost:${expired}`,
    })
    app = await makeApp(server.url, TOKEN)
    const changed = await app.admin('PATCH', '/settings', {
      engine: { production: `http://127.0.0.1:${await freePort()}` },
      push: {
        apns: {
          certificates: { _default: { certificate: EXPIRED_CERTIFICATE, privateKey: CERTIFICATE_KEY } },
          keys: { TEAM: { keyId: 'K', privateKey: 'not a key' } },
        },
      },
    })
    expect([changed.status, changed.body]).toEqual([200, expect.anything()])
    await app.request('POST', '/1.1/classes/Customer', { body: { title: 'a', homeAddress: 'b', cardNumber: 'c' } })
    const opened = await app.admin('PATCH', '/classes/_User', { permissions: { find: 'public' } })
    expect([opened.status, opened.body]).toEqual([200, expect.anything()])
    const clock = ['--clock-url', `http://127.0.0.1:${late}`]
    const examined = await doctor(['--data', home.data, ...clock], { HOMEPORT_ADMIN_TOKEN: TOKEN })
    expect(examined.code).toBe(1)
    findings = examined.findings
    output = examined.stdout
  }, 120_000)

  test.each<[string, string, string, RegExp, RegExp]>([
    ['a wrong SMTP password', 'error', 'smtp-login', /rejects the login: .*535/, /password in --smtp-url/],
    ['Redis that is down', 'error', 'redis-unreachable', /Redis at 127\.0\.0\.1:\d+: .*ECONNREFUSED/, /Start Redis/],
    [
      'a wrong S3 secret',
      'error',
      'files-unusable',
      /bucket bucket.*(SignatureDoesNotMatch|wrong secret)/,
      /access key in --files-url/,
    ],
    ['a search server that is down', 'error', 'search-unusable', /ECONNREFUSED/, /Check --search-url/],
    [
      'a public URL of another server',
      'error',
      'public-url-other',
      /leads to another server \(status 200\)/,
      /forwards to http:\/\/127\.0\.0\.1:\d+/,
    ],
    [
      'an expired certificate',
      'error',
      'certificate-expired',
      /localhost:\d+ expired on 2021-01-01/,
      /Renew the certificate/,
    ],
    [
      'a clock that is an hour wrong',
      'error',
      'clock-wrong',
      /is 3\d\d\d s ahead of 127\.0\.0\.1:\d+/,
      /timedatectl set-ntp true/,
    ],
    [
      'an engine that is down',
      'error',
      'engine-down',
      /production engine at http:\/\/127\.0\.0\.1:\d+/,
      /engine\.production/,
    ],
    ['an expired push certificate', 'error', 'push-expired', /_default expired on 2021-01-01/, /token key/],
    ['an unreadable push key', 'error', 'push-unreadable', /credential TEAM of apns is unreadable/, /push\.apns/],
    [
      'an open class with sensitive fields',
      'warning',
      'class-open',
      /objects of Customer, .*: homeAddress, cardNumber$/,
      /class set Customer --app/,
    ],
    [
      'a built-in class that was opened',
      'warning',
      'class-open-to-clients',
      /everyone can find objects of .* _User/,
      /master/,
    ],
  ])('finds %s, and says how to fix it', (_, level, id, text, fix) => {
    expectProblem(findings, level, id, text, fix)
  })

  test('contains no secret, and sends no mail', () => {
    expect(output).not.toMatch(/guarded|not a key|PRIVATE KEY/)
    expect(commands.list).toContain('AUTH')
    expect(commands.list).not.toContain('MAIL')
  })

  test('only owners may examine the server', async () => {
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
    expect(
      (await call(server.url, 'POST', '/admin/doctor', headers('a-wrong-token-of-administrators'), {})).status,
    ).toBe(401)
    const made = await call(server.url, 'POST', '/admin/administrators', headers(TOKEN), {
      name: 'bob',
      role: 'administrator',
      apps: [app.appId],
    })
    const entered = await call(
      server.url,
      'POST',
      '/admin/login/link',
      { 'content-type': 'application/json' },
      {
        token: made.body.link.token,
      },
    )
    const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
    const own = { cookie, 'content-type': 'application/json', 'x-csrf-token': entered.body.csrfToken }
    expect((await call(server.url, 'GET', '/admin/apps', own, undefined)).status).toBe(200)
    expect((await call(server.url, 'POST', '/admin/doctor', own, {})).status).toBe(403)
  })

  test('simultaneous calls share one run', async () => {
    const before = commands.list.filter((command) => command === 'AUTH').length
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => call(server.url, 'POST', '/admin/doctor', headers, {})),
    )
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.at}`)).size).toBe(1)
    expect(commands.list.filter((command) => command === 'AUTH').length).toBe(before + 1)
  })
})

describe('mail servers', () => {
  test.each([
    ['STARTTLS without a certificate', null, 'right', 'smtp-tls', /certificate/],
    [
      'STARTTLS with an untrusted certificate',
      { cert: CERTIFICATE, key: CERTIFICATE_KEY },
      'right',
      'smtp-tls',
      /certificate/,
    ],
  ])('finds %s', async (_, tls, password, id, fix) => {
    const { port } = await startUnusableSmtp({ password, tls }, onTestFinished)
    const home = makeHome(onTestFinished)
    const url = `smtp://ann%40example.org:${password}@127.0.0.1:${port}`
    const { code, findings } = await doctor(['--data', home.data], { HOMEPORT_SMTP_URL: url })
    expect(code).toBe(1)
    expectProblem(findings, 'error', id, /no encrypted connection/, fix)
  })

  test('accepts a login', async () => {
    const { port } = await startUnusableSmtp({ password: 'right' }, onTestFinished)
    const home = makeHome(onTestFinished)
    const url = `smtp://ann%40example.org:right@127.0.0.1:${port}`
    const { findings } = await doctor(['--data', home.data], { HOMEPORT_SMTP_URL: url })
    expect(findings.find(({ id }) => id.startsWith('smtp'))).toMatchObject({ level: 'ok', id: 'smtp' })
  })
})

test.skipIf(redisServer === null)('finds a wrong Redis password, and accepts the right one', async () => {
  const redis = makeRedis(onTestFinished, { requirepass: 'right' })
  await redis.start()
  const home = makeHome(onTestFinished)
  const examine = async (password: string) =>
    (await doctor(['--data', home.data], { HOMEPORT_REDIS_URL: `redis://:${password}@127.0.0.1:${redis.port}` }))
      .findings
  expectProblem(await examine('wrong'), 'error', 'redis-login', /WRONGPASS/, /--redis-url/)
  expect((await examine('right')).find(({ id }) => id === 'redis')).toMatchObject({ level: 'ok' })
})

test('recognizes the server behind its public URL, and a proxy that does not forward WebSockets', async () => {
  const home = makeHome(onTestFinished)
  let target = ''
  const proxy = createServer((request, response) => {
    const { method, url } = request
    // As nginx does by default, it does not forward the headers of an upgrade.
    const { connection: _, upgrade: __, ...headers } = request.headers
    const forwarded = httpRequest(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const server = await home.start(
    [
      '--public-url',
      `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      '--database-url',
      await newDatabase(),
    ],
    { HOMEPORT_ADMIN_TOKEN: TOKEN },
  )
  target = server.url
  const examine = async () => (await doctor(['--url', server.url], { HOMEPORT_ADMIN_TOKEN: TOKEN })).findings
  expectProblem(
    await examine(),
    'error',
    'public-url-no-web-socket',
    /does not accept WebSocket connections/,
    /proxy_set_header Upgrade/,
  )
  proxy.on('upgrade', (request, socket) => {
    const forwarded = httpRequest(target, { headers: request.headers })
    forwarded.on('upgrade', ({ headers }, upstream) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
      upstream.pipe(socket).pipe(upstream)
      socket.once('close', () => upstream.destroy())
      for (const end of [socket, upstream]) end.on('error', () => {})
    })
    forwarded.end()
  })
  expect((await examine()).find(({ id }) => id === 'public-url')).toMatchObject({ level: 'ok' })
}, 60_000)

test.skipIf(process.platform !== 'linux')('finds an untrusted certificate, and one for another name', async () => {
  const home = makeHome(onTestFinished)
  const port = await serve(onTestFinished, (_, response) => void response.end(), {
    cert: CERTIFICATE,
    key: CERTIFICATE_KEY,
  })
  const { code, findings } = await doctor(['--data', home.data, '--public-url', `https://localhost:${port}`])
  expect(code).toBe(1)
  expectProblem(
    findings,
    'error',
    'certificate-untrusted',
    /localhost:\d+: DEPTH_ZERO_SELF_SIGNED_CERT/,
    /fullchain\.pem/,
  )
  // The whole network 127.0.0.0/8 is this machine.
  const other = await doctor(['--data', home.data, '--public-url', `https://127.0.0.2:${port}`])
  expectProblem(other.findings, 'error', 'certificate-name', /for other names: .*localhost/, /includes 127\.0\.0\.2/)
})

test('the identity endpoint rejects texts other than nonces', async () => {
  const url = inject('serverUrl')
  const get = (nonce: string) => call(url, 'GET', `/health/identity?nonce=${nonce}`, {}, undefined)
  expect((await get('0'.repeat(31))).status).toBe(400)
  expect((await get('x'.repeat(32))).status).toBe(400)
  const [one, again, other] = [await get('0'.repeat(32)), await get('0'.repeat(32)), await get('1'.repeat(32))]
  expect(one.body.identity).toMatch(/^[0-9a-f]{64}$/)
  expect([again.body.identity, other.body.identity === one.body.identity]).toEqual([one.body.identity, false])
})

test('a check that hangs becomes a finding after its time, and the others are reported', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const sockets = new Set<Socket>()
  silent.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const environment = { HOMEPORT_SMTP_URL: `smtp://127.0.0.1:${port}` }
  const config = readConfig({ data: makeHome(onTestFinished).data }, environment, '/nonexistent')
  const findings = await runChecks(
    { config, database: null, notOpened: null, apps: null, server: null, clockUrl: null },
    1000,
  )
  expect(findings).toContainEqual(
    expect.objectContaining({ level: 'error', text: { code: 'doctorCheckTimedOut', check: 'mail', seconds: '1' } }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ id: 'node', level: 'ok' }))
})

test('finds a data directory of a newer PostgreSQL', async () => {
  const home = makeHome(onTestFinished)
  mkdirSync(join(home.data, 'postgres'), { recursive: true })
  writeFileSync(join(home.data, 'postgres', 'PG_VERSION'), '99\n')
  const { code, findings } = await doctor(['--data', home.data])
  expect(code).toBe(1)
  expectProblem(findings, 'error', 'directory-newer', /PostgreSQL 99/, /Start the Homeport version that created/)
})

test('finds a database that a newer Homeport has migrated, and one with pending migrations', async () => {
  const url = await newDatabase()
  const home = makeHome(onTestFinished)
  const server = await home.start(['--database-url', url])
  expect(await server.stop()).toBe(0)
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const examine = async () => (await doctor(['--data', home.data, '--database-url', url])).findings
  expect((await examine()).find(({ id }) => id === 'migrations')).toMatchObject({ level: 'ok' })
  await client.query('UPDATE homeport.apps SET schema_version = schema_version - 1')
  expectProblem(await examine(), 'warning', 'migrations-pending', /: at migration \d+/, /Start the server/)
  await client.query('INSERT INTO homeport.migrations (number) VALUES (9999)')
  expectProblem(
    await examine(),
    'error',
    'migrations-newer',
    /^database was migrated .* 9999/,
    /Start that newer version/,
  )
}, 60_000)

test.skipIf(process.platform === 'win32')('finds a low limit of open files, of which a start warns', async () => {
  const home = makeHome(onTestFinished)
  const run = (...words: string[]) =>
    spawnSync('sh', ['-c', 'ulimit -n 1000 && exec "$0" "$@"', process.execPath, MAIN, ...words], {
      encoding: 'utf8',
      env: { ...process.env, HOMEPORT_SUPERVISE: 'off' },
    })
  const { stdout, status } = run('doctor', '--data', home.data, '--json', '--strict')
  expect(status).toBe(3)
  expectProblem(JSON.parse(stdout).findings, 'warning', 'open-files-few', /limit of 1000 is low/, /ulimit -n 65536/)
  // A database that cannot be reached ends the start after the warning.
  const start = run('start', '--port', '0', '--data', home.data, '--database-url', 'postgresql://u:p@127.0.0.1:9/x')
  expect(start.stderr).toMatch(/"limit":1000,"recommended":65536,"msg":"limit of open files is low"/)
})
