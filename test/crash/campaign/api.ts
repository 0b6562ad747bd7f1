import type { FaultLog } from './trouble.ts'

/** An app from the point of view of its clients. */
export interface ServerAddress {
  /** The URLs of one or several servers; they change when a new server takes over. */
  urls(): readonly string[]
  readonly appId: string
  readonly appKey: string
  readonly masterKey: string
}

/**
 * The outcome of a write as known by its client: permanently done, rejected without effect, or unknown, as after a broken
 * connection or a status of 500 and above. An unknown write was done at most once.
 */
export type Outcome = 'done' | 'refused' | 'unknown'

export interface Reply {
  readonly outcome: Outcome
  /** null when there was no response. */
  readonly status: number | null
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape of the response
  readonly body: any
}

export interface RequestOptions {
  readonly master?: boolean
  readonly query?: Readonly<Record<string, string>>
  /** The index of the server among the URLs; round robin when omitted. */
  readonly server?: number
}

/** The maximum duration of a request in milliseconds, whatever happens to the database; can be overridden. */
const LONGEST_WAIT = 15_000

/** The REST client of the writers. */
export class Api {
  readonly server: ServerAddress
  readonly faults: FaultLog
  /** The time the servers were paused on purpose, in milliseconds, which extends the maximum duration of a request. */
  held = 0
  readonly #longestWait: number
  #number = 0

  constructor(server: ServerAddress, faults: FaultLog, longestWait = LONGEST_WAIT) {
    this.server = server
    this.faults = faults
    this.#longestWait = longestWait
  }

  async send(method: string, path: string, body?: object, options: RequestOptions = {}): Promise<Reply> {
    const { appId, appKey, masterKey } = this.server
    const urls = this.server.urls()
    const url = urls[(options.server ?? this.#number++) % urls.length]!
    const search = options.query ? `?${new URLSearchParams(options.query)}` : ''
    const headers = {
      'x-lc-id': appId,
      'x-lc-key': options.master ? `${masterKey},master` : appKey,
      'content-type': 'application/json',
    }
    const [since, heldBefore] = [performance.now(), this.held]
    const answer = await this.#fetch(url + path + search, method, headers, body)
    const waited = performance.now() - since - (this.held - heldBefore)
    if (waited > this.#longestWait) this.faults.violations.push(`${method} ${path} took ${Math.round(waited)} ms`)
    if (answer === null) {
      this.faults.unanswered++
      return { outcome: 'unknown', status: null, body: null }
    }
    if (answer.status < 300) return { outcome: 'done', ...answer }
    this.#countFailure(`${method} ${path}`, answer)
    return { outcome: answer.status < 500 ? 'refused' : 'unknown', ...answer }
  }

  /**
   * Reads data that must exist, retrying until a server is healthy.
   * @throws Error
   */
  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Reply['body']> {
    const { status, body } = await this.send('GET', path, undefined, { master: true, query })
    if (status !== 200) throw new Error(`GET ${path} is answered with ${status} ${JSON.stringify(body)}`)
    return body
  }

  async #fetch(url: string, method: string, headers: Record<string, string>, body: object | undefined) {
    try {
      const signal = AbortSignal.timeout(this.#longestWait + 10_000)
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(url, { method, headers, signal, ...text })
      return { status: response.status, body: JSON.parse(await response.text()) as Reply['body'] }
    } catch (error) {
      // A truncated response counts as no response; invalid JSON is a fault.
      if (error instanceof SyntaxError) this.faults.violations.push(`${method} ${url}: ${error}`)
      return null
    }
  }

  #countFailure(request: string, { status, body }: Pick<Reply, 'status' | 'body'>): void {
    const { code, error } = body ?? {}
    this.faults.countFailure(`${status} ${code}`)
    if (typeof code !== 'number' || typeof error !== 'string' || error === '' || status === 500)
      this.faults.violations.push(`${request}: ${status} ${JSON.stringify(body)}`)
  }
}
