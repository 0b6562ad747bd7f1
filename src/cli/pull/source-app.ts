import { setTimeout as sleep } from 'node:timers/promises'
import { exchange, type HttpAnswer } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isLastingFailure } from '../../http-client/lasting-failure.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject, type Json, type JsonObject, MAX_WIRE_DEPTH } from '../../values/json.ts'
import { extentOf } from '../../values/json-extent.ts'
import { isStartedByServer } from '../parent-server.ts'
import type { Pace } from './pace.ts'

/** Timeout of a response in milliseconds, and its maximum bytes. Pages end at 6 MB, but other servers may count differently. */
const TIMEOUT_MS = 120_000
const MAX_ANSWER = 64 * 1024 * 1024
/** Maximum values in a response. Parsed, small values take twenty times the memory of their text. */
const MAX_VALUES = 4_000_000

/** Maximum attempts when the source does not respond or fails: ten minutes in total. */
const ATTEMPTS = 14
/** Maximum attempts before the first response: about a minute. */
const FIRST_ATTEMPTS = 6
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 60_000
/**
 * Milliseconds to wait when the source reports overload without `Retry-After`, and maximum milliseconds of a wait and in total.
 */
const FIRST_REST = 2000
const LONGEST_REST = 10 * 60_000
const MAX_REST = 26 * 60 * 60_000

export interface SourceOptions {
  /** Without a trailing slash. */
  readonly url: string
  readonly appId: string
  readonly masterKey: string
  readonly pace: Pace
  /** Called with a line about each long wait. */
  readonly say: (line: string) => void
}

/** The source refuses a request. The text contains no key. */
export class SourceRefusal extends NoticedError {
  override readonly name = 'SourceRefusal'
  readonly status: number
  /** The error code of the API; null when there is none. */
  readonly code: number | null

  /** @param why the reason given by the source, if any */
  constructor(method: string, path: string, status: number, code: Json, why: string | Notice | null) {
    const answered = notice('sourceAnswers', { status, method, path })
    super(why === null ? answered : notice('because', { what: answered, reason: why }))
    this.status = status
    this.code = typeof code === 'number' ? code : null
  }
}

/** The source app of a move, read over its API with the master key. */
export class SourceApp {
  readonly url: string
  readonly appId: string
  readonly #options: SourceOptions
  /** Whether the source has sent a valid response. Before that, a failure probably means that the address is wrong. */
  #hasAnswered = false

  constructor(options: SourceOptions) {
    this.url = options.url
    this.appId = options.appId
    this.#options = options
  }

  /**
   * Returns the text of a response. Retries when the source does not respond, fails or is overloaded; the first request fails
   * immediately when the address is wrong.
   * @param query values other than strings are sent as JSON
   * @throws SourceRefusal; Error with one line for the user when the source cannot be reached
   */
  text(path: string, query: { readonly [name: string]: Json } = {}): Promise<string> {
    return this.#insist('GET', path, query, undefined)
  }

  /**
   * Sends a body, with retries, so the request must be repeatable.
   * @throws as `text`; Error when the response is not a JSON object
   */
  async send(path: string, body: JsonObject): Promise<JsonObject> {
    const answer = jsonOf(await this.#insist('POST', path, {}, JSON.stringify(body)))
    if (!isJsonObject(answer)) throw new NoticedError(notice('sourcePostNotObject', { path }))
    return answer
  }

  /** Sends a body like `send`, and returns a response that is a list. */
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
    for (let attempt = 1, pauses = 0; ; ) {
      await pace.waitForSlot()
      const answer = await this.#request(method, path, query, body)
      if (answer.status >= 200 && answer.status <= 299) {
        this.#hasAnswered = true
        return answer.text
      }
      if (answer.status === 429) {
        const pause = answer.retryAfter ?? Math.min(FIRST_REST * 2 ** pauses++, LONGEST_REST)
        rested += pause
        if (rested > MAX_REST) throw refusal(method, path, answer)
        if (pause >= LONGEST_PAUSE) say(`the source limits requests; resuming in ${Math.round(pause / 1000)} s`)
        pace.rest(pause)
      } else if (answer.status === 0 || answer.status >= 500) {
        const what =
          answer.status === 0
            ? notice('doesNotAnswer', { reason: answer.reason ?? '' })
            : notice('answers', { status: answer.status })
        if (answer.isLasting && !this.#hasAnswered)
          throw new NoticedError(notice('sourceAddressWrong', { source: this.url, problem: what }))
        if (attempt === (this.#hasAnswered ? ATTEMPTS : FIRST_ATTEMPTS))
          throw new NoticedError(notice('sourceFails', { source: this.url, problem: what }))
        const pause = Math.min(FIRST_PAUSE * 2 ** (attempt++ - 1), LONGEST_PAUSE)
        if (pause > 10_000) say(`the source ${inEnglish(what)}; retrying in ${Math.round(pause / 1000)} s`)
        await sleep(pause)
      } else throw refusal(method, path, answer)
    }
  }

  /** Returns a response of `text` as a JSON object. Invalid JSON is retried like a lost response. */
  async object(path: string, query: { readonly [name: string]: Json } = {}): Promise<JsonObject> {
    const body = jsonOf(await this.text(path, query))
    if (!isJsonObject(body)) throw new NoticedError(notice('sourceGetNotObject', { path }))
    return body
  }

  async #request(
    method: 'GET' | 'POST',
    path: string,
    query: { readonly [name: string]: Json },
    body: string | undefined,
  ): Promise<SourceRequest> {
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
          timeout: TIMEOUT_MS,
          reach: isStartedByServer() ? 'app' : 'any',
        },
        parseResponse,
      )
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      if (error.kind === 'private')
        throw new NoticedError(notice('sourceUnreachable', { reason: notice('addressPrivate') }))
      if (error.kind === 'unusable' || error.kind === 'too-long')
        throw new NoticedError(notice('cannotAskSource', { path, reason: error.notice }))
      return { status: 0, text: '', reason: error.notice, retryAfter: null, isLasting: isLastingFailure(error) }
    }
  }
}

interface SourceRequest {
  /** 0: there was no response */
  readonly status: number
  readonly text: string
  /** Why there was no response. */
  readonly reason?: Notice
  /** Milliseconds that the source asks to wait. */
  readonly retryAfter: number | null
  /** Whether such a result of the first request means that the address is wrong. */
  readonly isLasting: boolean
}

async function parseResponse(answer: HttpAnswer): Promise<SourceRequest> {
  const text = await answer.text(MAX_ANSWER)
  const { status } = answer
  if (status >= 200 && status <= 299) {
    const { tooDeep, tooMany } = extentOf(text, MAX_WIRE_DEPTH, MAX_VALUES)
    if (tooDeep) throw new HttpFailure('unusable', notice('answerNestedTooDeep', { maximum: MAX_WIRE_DEPTH }))
    if (tooMany) throw new HttpFailure('unusable', notice('answerTooManyValues', { maximum: MAX_VALUES }))
    if (jsonOf(text) === undefined)
      return { status: 0, text: '', reason: notice('answerNotJson'), retryAfter: null, isLasting: true }
  }
  return { status, text, retryAfter: pauseOf(answer.header('retry-after')), isLasting: false }
}

/** Parses `Retry-After` in seconds or as a date (RFC 9110), limited to the maximum wait. */
function pauseOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null
  const pause = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(pause) ? Math.min(Math.max(pause, 0), LONGEST_REST) : null
}

function refusal(method: string, path: string, { status, text }: SourceRequest): Error {
  if (status === 401 || status === 403)
    return new SourceRefusal(method, path, status, null, notice('sourceKeysWrong', { answer: messageOf(text) }))
  if (status >= 300 && status <= 399) return new SourceRefusal(method, path, status, null, notice('sourceRedirects'))
  const body = jsonOf(text)
  // An API refuses with JSON; web servers and proxies send pages.
  if (!isJsonObject(body)) return new SourceRefusal(method, path, status, null, notice('answerNotOfApi'))
  const { code = null, error = null } = body
  return new SourceRefusal(method, path, status, code, typeof error === 'string' ? error.slice(0, 300) : null)
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
