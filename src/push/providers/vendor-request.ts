import { exchange, type HttpAnswer } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { PRIVATE_ADDRESS } from '../../http-client/reachable-address.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { retryAfter } from './http2-answer.ts'
import type { Outcome } from './provider.ts'

/** Maximum bytes of a response; the longest ones list a thousand device tokens. */
const MAX_ANSWER = 1024 * 1024
/** Milliseconds until the whole response must have arrived. */
const TIMEOUT = 20_000
/** Maximum delay in milliseconds that a vendor can request. */
const MAX_WAIT = 24 * 60 * 60 * 1000

export interface VendorRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A vendor's response: a status of 2xx or 4xx, and the JSON members; empty for an error that is not JSON. */
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

/** Joins the server's URL, which may have the path of a proxy, with a vendor's path. */
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
 * Sends a POST request to a vendor.
 * @param timeout milliseconds until the whole response must have arrived
 * @returns the response; `later` when the vendor is unreachable or overloaded or its response is invalid; `refused` for a
 *   redirect. Never throws because of the vendor
 */
export async function requestVendor(
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
  return status < 300 ? later('the response is not a JSON object') : { status, content: {} }
}

function isBusy(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The response')
  } catch {
    return undefined
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof HttpFailure)) throw error
  switch (error.kind) {
    case 'timeout':
      return later('no response in time')
    case 'stopped':
      return STOPPED
    case 'too-long':
      return later(`the response has more than ${MAX_ANSWER} bytes`)
    // For example a credential that is not valid in a header.
    case 'unusable':
      return refused(`the request is invalid (${error.reason})`)
    case 'private':
      return later(`cannot reach the vendor: ${PRIVATE_ADDRESS}`)
    case 'unreachable':
      return later(`cannot reach the vendor (${error.reason})`)
  }
}

/** Waits for a shared promise, but stops waiting when the signal aborts. */
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
