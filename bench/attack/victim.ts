import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { ADMIN_TOKEN, APP, APP_KEY, MASTER_KEY, startHomeport } from '../contestants/homeport.ts'
import { embeddedAddress } from '../messaging/server.ts'
import type { ServerProcess } from '../server-process.ts'

/**
 * The attacked server, started as users start it, with its embedded database. It trusts no proxies, because attackers and honest
 * clients use local addresses, which are trusted by default.
 */
export class Victim {
  readonly #root: string
  readonly #data: string
  readonly #further: readonly string[]
  #server: ServerProcess | undefined

  /** @param further additional options of `homeport start` */
  constructor(root: string, data: string, further: readonly string[] = []) {
    this.#root = root
    this.#data = data
    this.#further = further
  }

  /** Starts it, or restarts it on the same data. */
  async restart(): Promise<void> {
    await this.stop()
    this.#server = await startHomeport(this.#root, this.#data, null, [
      '--trusted-proxies',
      'none',
      '--log-level',
      'error',
      ...this.#further,
    ])
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
  }

  get url(): string {
    return this.#server!.url
  }

  get pid(): number {
    return this.#server!.pid
  }

  /** Returns the exit code or signal; null while it runs. */
  get end(): number | string | null {
    return this.#server!.end()
  }

  /** Returns the process id of the PostgreSQL postmaster. */
  async postmaster(): Promise<number> {
    return Number((await readFile(join(this.#data, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
  }

  /** Runs a statement on a separate connection. */
  async query(text: string, values: readonly unknown[] = []): Promise<void> {
    const client = new pg.Client(await embeddedAddress(join(this.#data, 'postgres')))
    await client.connect()
    try {
      await client.query(text, [...values])
    } finally {
      await client.end()
    }
  }

  /**
   * Sends a request with the master key.
   * @throws Error when it is rejected
   */
  requestAsMaster<Answer>(method: string, path: string, body: object): Promise<Answer> {
    return this.#request(method, path, body, { 'X-LC-Id': APP, 'X-LC-Key': `${MASTER_KEY},master` })
  }

  /** Changes settings of the app. */
  async configure(settings: object): Promise<void> {
    await this.requestAsAdministrator('PATCH', `/admin/apps/${APP}/settings`, settings)
  }

  /**
   * Sends a request to the management API.
   * @throws Error when it is rejected
   */
  requestAsAdministrator<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return this.#request(method, path, body, { authorization: `Bearer ${ADMIN_TOKEN}` })
  }

  async #request<Answer>(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const content = { 'content-type': 'application/json' }
    const response = await fetch(this.url + path, {
      method,
      headers: { ...content, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 300)}`)
    return JSON.parse(text) as Answer
  }
}

/** The credentials known to clients of the app. */
export const APP_OF_VICTIM = { appId: APP, appKey: APP_KEY }
