import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findProgram } from './find-program.ts'
import { freePort } from './free-port.ts'

/**
 * The installed Redis for tests: HOMEPORT_TEST_REDIS, else `redis-server` or `valkey-server` on the PATH. null: not installed,
 * and tests that need it are skipped.
 */
export const redisServer: string | null = findProgram('HOMEPORT_TEST_REDIS', ['redis-server', 'valkey-server'])

if (redisServer === null) {
  console.warn(
    'Tests with Redis are skipped: no redis-server was found. Install one (Debian: apt-get install redis-server; macOS: brew install redis), or let HOMEPORT_TEST_REDIS name the file of one.',
  )
}

/** A separate Redis without persistence on a port of this machine. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  /** A client for inspecting its data. */
  readonly client: Redis
  /** Starts it unless it is running; after `kill` it is empty, at the same address. */
  start(): Promise<void>
  /** Kills it, like a crash. */
  kill(): Promise<void>
  /** Makes it hang: connections stay open without responses. */
  freeze(): void
  thaw(): void
}

/**
 * Creates a Redis to start in `beforeAll`, which a skipped `describe.skipIf(redisServer === null)` does not run. It stops at
 * `atEnd` (vitest's `afterAll`).
 * @param settings as in its configuration file, such as `{ requirepass: 'secret' }`
 */
export function makeRedis(
  atEnd: (end: () => Promise<void>) => void,
  settings: Readonly<Record<string, string>> = {},
): TestRedis {
  let directory: string | undefined
  let port = 0
  let client: Redis | undefined
  let server: ChildProcess | undefined
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null
  const kill = async () => {
    if (!server || !isRunning()) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  atEnd(async () => {
    client?.disconnect()
    await kill()
    if (directory) await rm(directory, { recursive: true, force: true })
  })
  return {
    get url() {
      return `redis://${settings.requirepass ? `:${settings.requirepass}@` : ''}127.0.0.1:${port}`
    },
    get port() {
      return port
    },
    get client() {
      client ??= connect(port, settings.requirepass)
      return client
    },
    async start() {
      if (isRunning()) return
      port ||= await freePort()
      directory ??= mkdtempSync(join(tmpdir(), 'homeport-redis-'))
      const quiet = { bind: '127.0.0.1', port: String(port), dir: directory, save: '', appendonly: 'no' }
      server = await launch({ ...quiet, ...settings })
    },
    kill,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  }
}

function connect(port: number, password: string | undefined): Redis {
  const client = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 20 })
  return client.on('error', () => {})
}

/** Starts the server and waits until it accepts connections. */
async function launch(settings: Readonly<Record<string, string>>): Promise<ChildProcess> {
  if (redisServer === null) throw new Error('There is no Redis to start.')
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn(redisServer, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  server.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  while (!output.includes('Ready to accept connections')) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}:\n${output}`)
    await sleep(5)
  }
  return server
}

/** A cluster of three nodes that share the slots. */
export interface TestRedisCluster {
  readonly url: string
  readonly nodes: readonly TestRedis[]
  start(): Promise<void>
}

/** Timeout after which other nodes consider a cluster node dead, in milliseconds: longer than a busy machine can stall. */
const NODE_TIMEOUT = 5000

/** Creates a cluster to start in `beforeAll`, like `makeRedis`. */
export function makeRedisCluster(atEnd: (end: () => Promise<void>) => void): TestRedisCluster {
  const slots = ['0 5460', '5461 10922', '10923 16383']
  const nodes = slots.map(() =>
    makeRedis(atEnd, { 'cluster-enabled': 'yes', 'cluster-node-timeout': String(NODE_TIMEOUT) }),
  )
  return {
    nodes,
    get url() {
      return `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
    },
    async start() {
      for (const [index, node] of nodes.entries()) {
        await node.start()
        await node.client.call('CLUSTER', 'ADDSLOTSRANGE', ...slots[index]!.split(' '))
        await node.client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
        await nodes[0]!.client.call('CLUSTER', 'MEET', '127.0.0.1', node.port)
      }
      for (const { client } of nodes)
        while (!/cluster_state:ok.*cluster_known_nodes:3/s.test(await client.cluster('INFO'))) await sleep(20)
    },
  }
}
