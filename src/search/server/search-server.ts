import { z } from 'zod'
import { errors } from '../../errors.ts'
import { exchange } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import type { Log } from '../../log.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import type { Principal } from '../../scheduling/principal.ts'

/** Maximum concurrent requests: of searches, and of indexing. */
const SEARCHES = 8
const WRITES = 2
/** Maximum bytes of a response. */
const MAX_ANSWER = 16 * 1024 * 1024
/** Milliseconds that a write waits for a slot, and for its response. */
const TIMEOUT_MS = 15_000

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** The server could not be reached, or could not process the request. */
export class SearchServerFailure extends Error {}

const answerOf = z.object({ version: z.object({ number: z.string(), distribution: z.string().optional() }) })

export interface SearchServerOptions {
  /** `https://user:password@host:9200/prefix` */
  readonly url: string
  /** Timeout of a search in milliseconds. */
  readonly timeout: number
  readonly log: Log
}

/**
 * A client for Elasticsearch or OpenSearch, limited to requests that both support. A fair semaphore limits concurrent requests
 * (`scheduling/fair-semaphore.ts`).
 */
export class SearchServer {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeout: number
  readonly #log: Log
  readonly #searches: FairSemaphore
  readonly #writes: FairSemaphore
  #answers = true

  constructor({ url, timeout, log }: SearchServerOptions) {
    const { origin, pathname, username, password } = new URL(url)
    this.#base = origin + pathname.replace(/\/+$/, '')
    const credentials = [username, password].map(decodeURIComponent).join(':')
    this.#headers = username === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
    this.#timeout = timeout
    this.#log = log
    const waiting = { atAddress: 100, ofApp: 1000, inAll: 1000 }
    this.#searches = new FairSemaphore({ slots: SEARCHES, waiting, timeoutMs: timeout })
    this.#writes = new FairSemaphore({ slots: WRITES, waiting: { ...waiting, inAll: 10_000 }, timeoutMs: TIMEOUT_MS })
  }

  /**
   * Sends a search for a caller. It is aborted when the caller disconnects.
   * @throws ApiError 503 when the server does not respond; 429 when no slot becomes free; 499
   */
  async search(path: string, body: object, principal: Principal): Promise<ServerAnswer> {
    const disconnected = new AbortController()
    const stopListening = principal.onDisconnect?.(() => disconnected.abort())
    try {
      return await this.#queued(this.#searches, principal, () =>
        this.#request('POST', path, JSON.stringify(body), this.#timeout, disconnected.signal),
      )
    } catch (error) {
      if (disconnected.signal.aborted) throw errors.clientDisconnected()
      if (error instanceof SearchServerFailure) throw errors.searchUnavailable()
      throw error
    } finally {
      stopListening?.()
    }
  }

  /**
   * Returns kind and version of the server, for the administrator. @throws SearchServerFailure when it is not a search server, or
   * does not respond
   */
  async describe(): Promise<string> {
    const { status, text } = await this.#request('GET', '/', null, TIMEOUT_MS)
    const info = answerOf.safeParse(status === 200 ? parsed(text) : null)
    if (!info.success)
      throw new SearchServerFailure(`it returned status ${status} and is not Elasticsearch or OpenSearch`)
    const { distribution, number } = info.data.version
    return `${distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch'} ${number}`
  }

  /** Runs work with a slot for writing. Locks must be taken inside `work`, so that they are not held while waiting for a slot. */
  async whenFree<Result>(principal: Principal, work: () => Promise<Result>): Promise<Result> {
    return this.#queued(this.#writes, principal, work)
  }

  /**
   * Sends a write. Must be called in `whenFree`.
   * @param body lines of JSON, or an object
   * @throws SearchServerFailure when the server does not respond or cannot process it now
   */
  async write(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body: string | object | null = null,
  ): Promise<ServerAnswer> {
    const text = typeof body === 'string' || body === null ? body : JSON.stringify(body)
    return this.#request(method, path, text, TIMEOUT_MS)
  }

  async #queued<Result>(queue: FairSemaphore, principal: Principal, work: () => Promise<Result>): Promise<Result> {
    const wait = queue.acquire(principal)
    if (wait) await wait
    try {
      return await work()
    } finally {
      queue.release(principal)
    }
  }

  async #request(
    method: string,
    path: string,
    body: string | null,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<ServerAnswer> {
    const headers = {
      ...this.#headers,
      // The server accepts lines of JSON only as such on bulk paths.
      ...(body !== null && { 'content-type': path.includes('/_bulk') ? 'application/x-ndjson' : 'application/json' }),
    }
    const request = {
      method,
      url: this.#base + path,
      headers,
      timeout,
      ...(body !== null && { body }),
      ...(signal && { signal }),
    }
    try {
      const answer = await exchange({ ...request, reach: 'any' }, async (answer) => ({
        status: answer.status,
        text: await answer.text(MAX_ANSWER),
      }))
      if (answer.status === 429 || answer.status >= 500 || answer.status === 401 || answer.status === 403)
        throw new SearchServerFailure(`it returned status ${answer.status}`)
      this.#note(true)
      return answer
    } catch (error) {
      if (!(error instanceof HttpFailure || error instanceof SearchServerFailure)) throw error
      if (!signal?.aborted) this.#note(false, error.message)
      throw error instanceof SearchServerFailure ? error : new SearchServerFailure(error.message)
    }
  }

  /** Logs the start and the end of an outage once. */
  #note(answers: boolean, reason?: string): void {
    if (answers === this.#answers) return
    this.#answers = answers
    if (answers) this.#log.info({}, 'search server reachable again')
    else this.#log.warn({ reason }, 'search server unreachable')
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
