import { z } from 'zod'
import { errors } from '../../errors.ts'
import { exchange } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import type { Log } from '../../log.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import type { Principal } from '../../scheduling/principal.ts'

/** Requests under way at a time: of searches, and of what indexes. */
const SEARCHES = 8
const WRITES = 2
/** Bytes of an answer that are read. */
const MAX_ANSWER = 16 * 1024 * 1024
/** Milliseconds that a write waits for its turn, and for its answer. */
const TIMEOUT_MS = 15_000

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** It could not be asked, or said that it is not able to answer. */
export class SearchServerFailure extends Error {}

const answerOf = z.object({ version: z.object({ number: z.string(), distribution: z.string().optional() }) })

export interface SearchServerOptions {
  /** `https://user:password@host:9200/prefix` */
  readonly url: string
  /** Milliseconds that a search may take. */
  readonly timeout: number
  readonly log: Log
}

/**
 * An Elasticsearch or OpenSearch, by the requests that both of them know. Whoever asks takes turns with the others
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
   * Asks for something on behalf of a caller, who may go away meanwhile.
   * @throws ApiError 503 when it does not answer; 429 when its turn does not come; 499
   */
  async search(path: string, body: object, principal: Principal): Promise<ServerAnswer> {
    const gone = new AbortController()
    const stopListening = principal.whenGone?.(() => gone.abort())
    try {
      return await this.#inTurn(this.#searches, principal, () =>
        this.#ask('POST', path, JSON.stringify(body), this.#timeout, gone.signal),
      )
    } catch (error) {
      if (gone.signal.aborted) throw errors.clientGone()
      if (error instanceof SearchServerFailure) throw errors.searchUnavailable()
      throw error
    } finally {
      stopListening?.()
    }
  }

  /** @returns its kind and version, for an operator @throws SearchServerFailure when it is none, or does not answer */
  async describe(): Promise<string> {
    const { status, text } = await this.#ask('GET', '/', null, TIMEOUT_MS)
    const told = answerOf.safeParse(status === 200 ? parsed(text) : null)
    if (!told.success) throw new SearchServerFailure(`it answers ${status}, and not as Elasticsearch or OpenSearch`)
    const { distribution, number } = told.data.version
    return `${distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch'} ${number}`
  }

  /** Does in turn what writes: whoever holds something meanwhile waits here before, and not in the middle. */
  async whenFree<Result>(principal: Principal, work: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(this.#writes, principal, work)
  }

  /**
   * Changes something, in the caller's turn (`whenFree`).
   * @param body lines of JSON, or an object
   * @throws SearchServerFailure when it does not answer, or is not able to do it now
   */
  async write(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body: string | object | null = null,
  ): Promise<ServerAnswer> {
    const text = typeof body === 'string' || body === null ? body : JSON.stringify(body)
    return this.#ask(method, path, text, TIMEOUT_MS)
  }

  async #inTurn<Result>(turns: FairSemaphore, principal: Principal, work: () => Promise<Result>): Promise<Result> {
    const wait = turns.acquire(principal)
    if (wait) await wait
    try {
      return await work()
    } finally {
      turns.release(principal)
    }
  }

  async #ask(
    method: string,
    path: string,
    body: string | null,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<ServerAnswer> {
    const headers = {
      ...this.#headers,
      // Lines of JSON are JSON to it too; what they are the path says.
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
        throw new SearchServerFailure(`it answers ${answer.status}`)
      this.#note(true)
      return answer
    } catch (error) {
      if (!(error instanceof HttpFailure || error instanceof SearchServerFailure)) throw error
      if (!signal?.aborted) this.#note(false, error.message)
      throw error instanceof SearchServerFailure ? error : new SearchServerFailure(error.message)
    }
  }

  /** Each outage is told once. */
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
