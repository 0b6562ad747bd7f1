import { exchange, type HttpAnswer } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { PRIVATE_ADDRESS } from '../../http-client/reachable-address.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { retryAfter } from './http2-answer.ts'
import type { Outcome } from './provider.ts'

/** Bytes of an answer that are read; the longest ones name a thousand device tokens. */
const MAX_ANSWER = 1024 * 1024
/** Milliseconds until the whole answer has to be here. */
const TIMEOUT = 20_000
/** Longest wait that a vendor may ask for, in milliseconds. */
const MAX_WAIT = 24 * 60 * 60 * 1000

export interface VendorRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a vendor said: a status of 2xx or 4xx, and the members of the answer; none where a refusal is no JSON. */
export interface VendorAnswer {
  readonly status: number
  readonly content: JsonObject
}

export type Failure = Exclude<Outcome, { kind: 'accepted' }>

export const refused = (reason: string): Failure => ({ kind: 'refused', reason })
export const gone = (reason: string): Failure => ({ kind: 'gone', reason })
export const later = (reason: string, after: number | null = null): Failure => ({ kind: 'later', reason, after })

const STOPPED = later('the delivery was stopped')

export function isFailure<Success extends object>(value: Success | Failure): value is Failure {
  return Object.hasOwn(value, 'kind')
}

/** The URL of a vendor's path; the server's own path, that of a proxy, comes before it. */
export function endpoint(server: string, path: string): string {
  return `${server.replace(/\/+$/, '')}${path}`
}

export function jsonRequest(url: string, content: JsonObject, headers: Record<string, string> = {}): VendorRequest {
  const type = 'application/json; charset=utf-8'
  return { url, headers: { 'content-type': type, ...headers }, body: JSON.stringify(content) }
}

export function formRequest(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): VendorRequest {
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  return { url, headers: { 'content-type': type, ...headers }, body: new URLSearchParams(fields).toString() }
}

/**
 * Makes one POST request.
 * @param timeout milliseconds until the whole answer has to be here
 * @returns the answer; or `later` when the vendor cannot be reached, is overloaded or does not make sense, `refused`
 *   when it wants to be asked elsewhere. Never throws for what the vendor says or does
 */
export async function askVendor(
  { url, headers, body }: VendorRequest,
  signal: AbortSignal,
  timeout = TIMEOUT,
): Promise<VendorAnswer | Failure> {
  try {
    return await exchange({ method: 'POST', url, headers, body, timeout, signal, reach: 'app' }, answerOf)
  } catch (error) {
    return failureOf(error)
  }
}

async function answerOf(answer: HttpAnswer): Promise<VendorAnswer | Failure> {
  const { status } = answer
  if (isBusy(status)) {
    const wait = retryAfter(answer.header('retry-after') ?? undefined, Date.now())
    return later(`HTTP status ${status}`, wait === null ? null : Math.min(wait, MAX_WAIT))
  }
  if (status >= 300 && status < 400) return refused(`HTTP status ${status}: redirects are not followed`)
  const content = parsed(await answer.text(MAX_ANSWER))
  if (isJsonObject(content)) return { status, content }
  return status < 300 ? later('the answer is no JSON object') : { status, content: {} }
}

function isBusy(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof HttpFailure)) throw error
  switch (error.kind) {
    case 'timeout':
      return later('no answer in time')
    case 'stopped':
      return STOPPED
    case 'too-long':
      return later(`the answer is longer than ${MAX_ANSWER} bytes`)
    // A credential that cannot stand in a header, for example.
    case 'unusable':
      return refused(`the request cannot be made (${error.reason})`)
    case 'private':
      return later(`the vendor cannot be reached: ${PRIVATE_ADDRESS}`)
    case 'unreachable':
      return later(`the vendor cannot be reached (${error.reason})`)
  }
}

/** Stops waiting when the signal says so, for what goes on because others wait for it too. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | Failure> {
  return new Promise((resolve) => {
    const stop = () => resolve(STOPPED)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void promise.then((value) => {
      signal.removeEventListener('abort', stop)
      resolve(value)
    })
  })
}
