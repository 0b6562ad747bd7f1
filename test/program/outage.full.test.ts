import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { call } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { isRunning, makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const CREDENTIALS = {
  HOMEPORT_APP_ID: 'outage',
  HOMEPORT_APP_KEY: 'outage-app-key',
  HOMEPORT_MASTER_KEY: 'outage-master-key',
}
const HEADERS = { 'x-lc-id': 'outage', 'x-lc-key': 'outage-app-key', 'content-type': 'application/json' }
const ADMIN_TOKEN = 'token-of-the-administrator'

const home = makeHome(afterAll)
const line = await openLine(await newDatabase())
const program = await home.start(['--database-url', line.url, '--query-timeout', '2000'], {
  ...CREDENTIALS,
  HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
})
const send = (method: string, path: string, body?: unknown) => call(program.url, method, path, HEADERS, body)
const { body: post } = await send('POST', '/1.1/classes/Post', { n: 0 })

test('/health is 200 while the database responds', async () => {
  const { status, body } = await send('GET', '/health')
  expect({ status, body }).toEqual({ status: 200, body: { status: 'ok', version: VERSION, database: 'ok' } })
})

test.each([
  ['refuses connections', 'refuse'],
  ['swallows what is sent to it', 'swallow'],
] as const)(
  'while the database %s every request gets 503, and service recovers afterwards',
  async (_, fault) => {
    line[fault]()
    const since = performance.now()
    const answers = await Promise.all([
      send('GET', '/health'),
      send('POST', '/1.1/classes/Post', { n: 1 }),
      send('POST', '/1.1/classes/NewClass', { n: 1 }),
      send('GET', `/1.1/classes/Post/${post.objectId}`),
      send('GET', '/1.1/classes/Post?count=1'),
      send('PUT', `/1.1/classes/Post/${post.objectId}`, { n: { __op: 'Increment', amount: 1 } }),
      send('DELETE', '/1.1/classes/Post/5f0000000000000000000001'),
      // Without the database, neither "no such object" nor "deleted" would be correct for these classes.
      send('PUT', '/1.1/classes/Elsewhere/5f0000000000000000000001', { n: 1 }),
      send('DELETE', '/1.1/classes/Elsewhere/5f0000000000000000000001'),
      call(program.url, 'GET', '/admin/apps', { authorization: `Bearer ${ADMIN_TOKEN}` }, undefined),
      call(program.url, 'GET', '/1.1/classes/Post', { ...HEADERS, 'x-lc-id': 'unheard-of' }, undefined),
    ])
    expect(performance.now() - since).toBeLessThan(20_000)
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({
        status: 503,
        body: expect.objectContaining({ code: 511, error: expect.stringMatching(/./) }),
      })
    const { body: items } = await send('POST', '/1.1/batch', {
      requests: [1, 2].map((n) => ({ method: 'POST', path: '/1.1/classes/Post', body: { n } })),
    })
    expect(items.code ?? items[0].error.code).toBe(511)
    expect(isRunning(program)).toBe(true)

    await line.mend()
    await expect.poll(async () => (await send('GET', '/health')).status, { timeout: 60_000 }).toBe(200)
    expect((await send('POST', '/1.1/classes/Post', { n: 2 })).status).toBe(201)
    expect((await send('GET', '/1.1/classes/Post?limit=1')).body.results).toHaveLength(1)
    expect(program.output()).not.toContain('request failed unexpectedly')
  },
  90_000,
)

interface Line {
  /** The URL of the database through this proxy. */
  readonly url: string
  refuse(): void
  swallow(): void
  mend(): Promise<void>
}

/** Opens a TCP proxy to the database that can be closed or made unresponsive. */
async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.searchParams.get('port')}`
  const sockets = new Set<Socket>()
  let dead = false
  const accept = (client: Socket) => {
    const database = connect(path)
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => dead || to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }
  const port = await freePort()
  let server = await listen(accept, port)
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  afterAll(() => {
    server.close()
    hangUp()
  })
  const through = new URL(databaseUrl)
  through.search = ''
  through.host = `127.0.0.1:${port}`
  return {
    url: through.href,
    refuse() {
      server.close()
      hangUp()
    },
    swallow() {
      dead = true
    },
    async mend() {
      if (dead) {
        dead = false
        hangUp()
      }
      if (!server.listening) server = await listen(accept, port)
    },
  }
}

function listen(accept: (client: Socket) => void, port: number): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer(accept).listen(port, '127.0.0.1', () => resolve(server))
  })
}
