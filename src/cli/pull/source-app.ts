import { setTimeout as sleep } from 'node:timers/promises'
import { exchange, type HttpAnswer } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isLastingFailure } from '../../http-client/lasting-failure.ts'
import { PRIVATE_ADDRESS } from '../../http-client/reachable-address.ts'
import { isJsonObject, type Json, type JsonObject, MAX_WIRE_DEPTH } from '../../values/json.ts'
import { extentOf } from '../../values/json-extent.ts'
import { isStartedByServer } from '../told-server.ts'
import type { Pace } from './pace.ts'

/** Milliseconds that an answer may take, and bytes that it may have: pages end at 6 MB, with room for how others count. */
const PATIENCE = 120_000
const MAX_ANSWER = 64 * 1024 * 1024
/** Values that an answer may have: parsed, small ones take twenty times the memory of their text. */
const MAX_VALUES = 4_000_000

/** How often the source is asked again that does not answer or fails: ten minutes in all. */
const ATTEMPTS = 14
/** How often before it has answered at all: a minute or so. */
const FIRST_ATTEMPTS = 6
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 60_000
/** How long one that is asked too much is left alone, where it does not say it, and how long it is waited for in all. */
const FIRST_REST = 2000
const LONGEST_REST = 10 * 60_000
const MOST_REST = 26 * 60 * 60_000

export interface SourceOptions {
  /** Without a trailing slash. */
  readonly url: string
  readonly appId: string
  readonly masterKey: string
  readonly pace: Pace
  /** Is told in a line of what takes long. */
  readonly say: (line: string) => void
}

/** The source has understood a request and does not do it. Its text tells no key. */
export class SourceRefusal extends Error {
  readonly status: number
  /** That of the API; null where it gives none. */
  readonly code: number | null

  constructor(method: string, path: string, status: number, body: Json) {
    const { code = null, error = null } = isJsonObject(body) ? body : {}
    super(
      `the source answers ${status} to ${method} ${path}${typeof error === 'string' ? `: ${error.slice(0, 300)}` : ''}`,
    )
    this.name = 'SourceRefusal'
    this.status = status
    this.code = typeof code === 'number' ? code : null
  }
}

/** The app that is moved, read over its API with the master key. */
export class SourceApp {
  readonly url: string
  readonly appId: string
  readonly #options: SourceOptions
  /** Whether the source has given a good answer. Until then the address is more likely to be wrong than the source away. */
  #hasAnswered = false

  constructor(options: SourceOptions) {
    this.url = options.url
    this.appId = options.appId
    this.#options = options
  }

  /**
   * The text of an answer. Repeats the request when the source does not answer, fails or has too much to do; the first one not
   * where the address is wrong.
   * @param query what is no text is sent as JSON
   * @throws SourceRefusal; Error with one line for the user when the source stays away
   */
  text(path: string, query: { readonly [name: string]: Json } = {}): Promise<string> {
    return this.#insist('GET', path, query, undefined)
  }

  /**
   * Sends a body, perhaps several times: what it asks for must be well when it is done twice.
   * @throws as `text`; Error when the answer is no JSON object
   */
  async send(path: string, body: JsonObject): Promise<JsonObject> {
    const answer = jsonOf(await this.#insist('POST', path, {}, JSON.stringify(body)))
    if (!isJsonObject(answer))
      throw new Error(`the source answers to POST ${path} with something else than a JSON object`)
    return answer
  }

  /** The same where the answer is a list. */
  async list(path: string, body: JsonObject): Promise<readonly Json[]> {
    const answer = jsonOf(await this.#insist('POST', path, {}, JSON.stringify(body)))
    return Array.isArray(answer) ? answer : []
  }

  async #insist(
    method: 'GET' | 'POST',
    path: string,
    query: { readonly [name: string]: Json },
    body: string | undefined,
  ): Promise<string> {
    const { pace, say } = this.#options
    let rested = 0
    for (let attempt = 1, rests = 0; ; ) {
      await pace.turn()
      const answer = await this.#ask(method, path, query, body)
      if (answer.status >= 200 && answer.status <= 299) {
        this.#hasAnswered = true
        return answer.text
      }
      if (answer.status === 429) {
        const pause = answer.retryAfter ?? Math.min(FIRST_REST * 2 ** rests++, LONGEST_REST)
        rested += pause
        if (rested > MOST_REST) throw refusal(method, path, answer)
        if (pause >= LONGEST_PAUSE) say(`the source asks to wait; going on in ${Math.round(pause / 1000)} s`)
        pace.rest(pause)
      } else if (answer.status === 0 || answer.status >= 500) {
        const what = answer.status === 0 ? `does not answer (${answer.text})` : `answers ${answer.status}`
        if (answer.isLasting && !this.#hasAnswered)
          throw new Error(`the source ${this.url} ${what}: check the address in --from, and whether the source runs`)
        if (attempt === (this.#hasAnswered ? ATTEMPTS : FIRST_ATTEMPTS))
          throw new Error(`the source ${this.url} ${what}`)
        const pause = Math.min(FIRST_PAUSE * 2 ** (attempt++ - 1), LONGEST_PAUSE)
        if (pause > 10_000) say(`the source ${what}; asking again in ${Math.round(pause / 1000)} s`)
        await sleep(pause)
      } else throw refusal(method, path, answer)
    }
  }

  /** The same as JSON. An answer that is none counts as one that was lost. */
  async object(path: string, query: { readonly [name: string]: Json } = {}): Promise<JsonObject> {
    const body = jsonOf(await this.text(path, query))
    if (!isJsonObject(body)) throw new Error(`the source answers to GET ${path} with something else than a JSON object`)
    return body
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    query: { readonly [name: string]: Json },
    body: string | undefined,
  ): Promise<Asked> {
    const { appId, masterKey } = this.#options
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    )
    try {
      return await exchange(
        {
          method,
          body,
          url: `${this.url}${path}${search.size > 0 ? `?${search}` : ''}`,
          headers: {
            'x-lc-id': appId,
            'x-lc-key': `${masterKey},master`,
            accept: 'application/json',
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          timeout: PATIENCE,
          reach: isStartedByServer() ? 'app' : 'any',
        },
        asked,
      )
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      if (error.kind === 'private') throw new Error(`the source cannot be reached: ${PRIVATE_ADDRESS}`)
      if (error.kind === 'unusable' || error.kind === 'too-long')
        throw new Error(`the source cannot be asked for ${path}: ${error.reason}`)
      return { status: 0, text: error.reason, retryAfter: null, isLasting: isLastingFailure(error) }
    }
  }
}

interface Asked {
  /** 0: there was no answer, and `text` says why. */
  readonly status: number
  readonly text: string
  /** Milliseconds that the source wants to be left alone. */
  readonly retryAfter: number | null
  /** Whether a first request that ends so shows that the address is wrong. */
  readonly isLasting: boolean
}

async function asked(answer: HttpAnswer): Promise<Asked> {
  const text = await answer.text(MAX_ANSWER)
  const { status } = answer
  if (status >= 200 && status <= 299) {
    const { tooDeep, tooMany } = extentOf(text, MAX_WIRE_DEPTH, MAX_VALUES)
    if (tooDeep) throw new HttpFailure('unusable', `its answer is nested deeper than ${MAX_WIRE_DEPTH} levels`)
    if (tooMany) throw new HttpFailure('unusable', `its answer has more than ${MAX_VALUES} values`)
    if (jsonOf(text) === undefined)
      return { status: 0, text: 'an answer that is no JSON', retryAfter: null, isLasting: true }
  }
  return { status, text, retryAfter: pauseOf(answer.header('retry-after')), isLasting: false }
}

/** `Retry-After` in seconds or as a date (RFC 9110), at most what anybody waits for. */
function pauseOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(pause) ? Math.min(Math.max(pause, 0), LONGEST_REST) : null
}

function refusal(method: string, path: string, { status, text }: Asked): Error {
  if (status === 401 || status === 403)
    return new SourceRefusal(method, path, status, {
      error: `${messageOf(text)} (are --source-app and the master key right?)`,
    })
  if (status >= 300 && status <= 399)
    return new SourceRefusal(method, path, status, { error: 'a redirect; name its target' })
  const body = jsonOf(text)
  // An API refuses with JSON; web servers and proxies with pages.
  return new SourceRefusal(
    method,
    path,
    status,
    isJsonObject(body) ? body : { error: 'no answer of an API (does --from name its address, without a path?)' },
  )
}

function messageOf(text: string): string {
  const body = jsonOf(text)
  return isJsonObject(body) && typeof body.error === 'string' ? body.error.slice(0, 200) : 'refused'
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
