import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../src/database/embedded/embedded-database.ts'
import { type Program, startProgram } from '../../support/program.ts'
import { makeRedis, type TestRedis } from '../../support/redis.ts'
import type { ServerAddress } from './api.ts'

/** The arrangement of servers: one with the embedded database, or two on one database, with or without Redis. */
export const SHAPES = ['embedded', 'two nodes', 'two nodes with Redis'] as const
export type Shape = (typeof SHAPES)[number]

const APP = { appId: 'crash', appKey: 'crash-app-key', masterKey: 'crash-master-key' } as const
const ADMIN_TOKEN = 'token-of-the-administrator-of-the-campaign'
/** Timeout until servers report that they are healthy, in milliseconds. */
const TIMEOUT_MS = 40_000
/** Log texts that indicate a fault of the server. */
const FAULTS = /request failed unexpectedly|uncaught|unhandled|"level":60/i

/** Servers with a database that run for many rounds of faults. */
export class Installation implements ServerAddress {
  readonly shape: Shape
  readonly appId = APP.appId
  readonly appKey = APP.appKey
  readonly masterKey = APP.masterKey
  readonly #directory: string
  readonly #nodes: (Program | null)[] = []
  readonly #ends: (() => Promise<void>)[] = []
  #urls: string[] = []
  #database: EmbeddedDatabase | null = null
  #redis: TestRedis | null = null
  /** Fault lines in the logs of stopped servers. */
  readonly #oldFaults: string[] = []
  #isPrepared = false

  /** @param directory the location of all its data, kept between starts */
  constructor(shape: Shape, directory: string) {
    this.shape = shape
    this.#directory = directory
  }

  urls(): readonly string[] {
    return this.#urls
  }

  get nodes(): readonly Program[] {
    return this.#nodes.filter((node) => node !== null)
  }

  get redis(): TestRedis | null {
    return this.#redis
  }

  /** Starts everything. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    // Under root the database runs as another user, which needs access to the directory.
    await chmod(this.#directory, 0o711)
    if (this.shape === 'two nodes with Redis') {
      this.#redis = makeRedis((end) => void this.#ends.push(end))
      await this.#redis.start()
    }
    if (this.shape !== 'embedded')
      this.#database = await startEmbeddedDatabase({
        directory: join(this.#directory, 'postgres'),
        log: pino(pino.destination(join(this.#directory, 'postgres.log'))),
      })
    for (let number = 0; number < (this.shape === 'embedded' ? 1 : 2); number++) await this.startNode(number)
  }

  /**
   * Starts a server, retrying as a service manager does: a server without a reachable database exits at once.
   * @throws Error after the timeout
   */
  async startNode(number: number): Promise<void> {
    for (const late = Date.now() + TIMEOUT_MS; ; await sleep(200)) {
      try {
        return await this.#startNode(number)
      } catch (error) {
        if (Date.now() > late || !/ECONNREFUSED|ENOENT/.test(String(error))) throw error
      }
    }
  }

  async #startNode(number: number): Promise<void> {
    const database = this.#database ? ['--database-url', urlOf(this.#database)] : []
    const redis = this.#redis ? ['--redis-url', this.#redis.url] : []
    const node = await startProgram(['--data', join(this.#directory, `node-${number}`), ...database, ...redis], {
      HOMEPORT_APP_ID: this.appId,
      HOMEPORT_APP_KEY: this.appKey,
      HOMEPORT_MASTER_KEY: this.masterKey,
      HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
    })
    const before = this.#nodes[number]
    if (before) this.#oldFaults.push(...faultsIn(before))
    this.#nodes[number] = node
    this.#urls[number] = node.url
  }

  /** Runs `work` with administrator access to the app, once per data directory. */
  async prepare(work: (admin: (path: string, body: object) => Promise<void>) => Promise<void>): Promise<void> {
    if (this.#isPrepared) return
    await work(async (path, body) => {
      const response = await fetch(`${this.#urls[0]}/admin/apps/${this.appId}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path} is answered with ${response.status} ${await response.text()}`)
    })
    this.#isPrepared = true
  }

  /**
   * Resolves when all servers report that they are healthy, with Redis where it exists.
   * @throws Error after the timeout
   */
  async healthy(): Promise<void> {
    const late = Date.now() + TIMEOUT_MS
    for (const url of this.#urls) {
      let last = 'nothing'
      while (!(await isWell(url, (text) => (last = text)))) {
        if (Date.now() > late) throw new Error(`${url} is not well after ${TIMEOUT_MS} ms: ${last}`)
        await sleep(20)
      }
    }
  }

  /** Returns the process id of the database server; null when it is not running. */
  async postmaster(): Promise<number | null> {
    const directory = this.#database ? this.#directory : join(this.#directory, 'node-0')
    const file = await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number(file.split('\n')[0])
    return pid > 0 ? pid : null
  }

  /**
   * Opens a separate connection to the database, retrying until it accepts one.
   * @throws Error
   */
  async connect(): Promise<pg.Client> {
    for (const late = Date.now() + TIMEOUT_MS; ; await sleep(50)) {
      try {
        const client = new pg.Client(this.#database?.address ?? (await this.#embeddedAddress()))
        client.on('error', () => {})
        await client.connect()
        return client
      } catch (error) {
        if (Date.now() > late) throw error
      }
    }
  }

  /** Returns the fault lines in the logs of all servers. */
  faultsInLogs(): string[] {
    return [...this.#oldFaults, ...this.nodes.flatMap(faultsIn)]
  }

  /**
   * Stops everything cleanly.
   * @returns violations
   */
  async stop(): Promise<string[]> {
    const codes = await Promise.all(this.nodes.map((node) => (isRunning(node) ? node.stop() : null)))
    await this.#database?.stop()
    for (const end of this.#ends.splice(0)) await end()
    const wrong = codes.filter((code) => code !== 0)
    this.#nodes.length = 0
    this.#urls = []
    return wrong.map((code) => `a server that was asked to stop ended with ${code}`)
  }

  async #embeddedAddress(): Promise<pg.ClientConfig> {
    const data = join(this.#directory, 'node-0')
    const host = (await readFile(join(data, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[4]!
    const password = (await readFile(join(data, 'postgres-password'), 'utf8')).trim()
    return { host, port: 5432, user: 'homeport', database: 'homeport', password }
  }
}

function faultsIn(node: Program): string[] {
  return node
    .output()
    .split('\n')
    .filter((line) => FAULTS.test(line))
}

function isRunning({ process }: Program): boolean {
  return process.exitCode === null && process.signalCode === null
}

function urlOf({ address }: EmbeddedDatabase): string {
  const { host, port, user, password, database } = address
  const search = new URLSearchParams({ host, port: String(port) })
  return `postgresql://${user}:${encodeURIComponent(password)}@localhost/${database}?${search}`
}

async function isWell(url: string, note: (text: string) => void): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5000) })
    const text = await response.text()
    note(text)
    return response.status === 200 && !text.includes('disconnected')
  } catch (error) {
    note(String(error))
    return false
  }
}
