import { isRunning, makeHome } from '../../support/home.ts'
import type { Program } from '../../support/program.ts'
import { type Content, contentOf } from './content.ts'

export const ADMIN_TOKEN = 'token-of-the-administrator-of-the-campaign'
const ENVIRONMENT = { HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN, HOMEPORT_ALLOW_PRIVATE_ADDRESSES: 'loopback' }
export const MASTER_KEY = 'master-key-of-the-campaign'

/** A server with an embedded database that is killed and restarted at the same address. */
export class MovingServer {
  readonly #home: ReturnType<typeof makeHome>
  #program: Program

  private constructor(home: ReturnType<typeof makeHome>, program: Program) {
    this.#home = home
    this.#program = program
  }

  static async start(atEnd: (end: () => Promise<void>) => void): Promise<MovingServer> {
    const home = makeHome(atEnd)
    return new MovingServer(home, await home.start([], ENVIRONMENT))
  }

  get url(): string {
    return this.#program.url
  }

  /** An empty directory beside the data. */
  get directory(): string {
    return this.#home.directory
  }

  /** Whether it has not exited. */
  get isRunning(): boolean {
    return isRunning(this.#program)
  }

  kill(): Promise<void> {
    return this.#program.kill()
  }

  async startAgain(): Promise<void> {
    this.#program = await this.#home.start(['--port', new URL(this.url).port], ENVIRONMENT)
  }

  /** @throws Error when the response is not successful */
  async admin(method: string, path: string, body: object): Promise<unknown> {
    return this.#request(method, `/admin${path}`, { authorization: `Bearer ${ADMIN_TOKEN}` }, body)
  }

  makeApp(appId: string): Promise<unknown> {
    return this.admin('POST', '/apps', { appId, name: appId, masterKey: MASTER_KEY })
  }

  /**
   * Creates an object with the master key.
   * @returns the stored object
   */
  async create(appId: string, className: string, object: object): Promise<Record<string, unknown>> {
    const headers = { 'x-lc-id': appId, 'x-lc-key': `${MASTER_KEY},master` }
    const path = `/1.1/classes/${className}?fetchWhenSave=true`
    return (await this.#request('POST', path, headers, object)) as Record<string, unknown>
  }

  async content(appId: string): Promise<Content> {
    const client = await this.#home.connect()
    try {
      return await contentOf(client, appId)
    } finally {
      await client.end()
    }
  }

  async #request(method: string, path: string, headers: Record<string, string>, body: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}
