import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import type { Outcome } from '../provider.ts'
import { retryAfter } from './http2-answer.ts'
import { stoppable } from './vendor-signal.ts'

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
  return 'kind' in value
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
 * Makes one POST request. Redirects are not followed: they would take the credentials to somebody else.
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
    return await stoppable([signal], timeout, async (limited) =>
      answerOf(await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limited })),
    )
  } catch (error) {
    return failureOf(error)
  }
}

async function answerOf(response: Response): Promise<VendorAnswer | Failure> {
  const { status, body, headers } = response
  if (isBusy(status) || (status >= 300 && status < 400)) {
    await body?.cancel()
    if (!isBusy(status)) return refused(`HTTP status ${status}: redirects are not followed`)
    const wait = retryAfter(headers.get('retry-after') ?? undefined, Date.now())
    return later(`HTTP status ${status}`, wait === null ? null : Math.min(wait, MAX_WAIT))
  }
  const text = await textOf(response)
  if (text === null) return later(`the answer is longer than ${MAX_ANSWER} bytes`)
  const content = parsed(text)
  if (isJsonObject(content)) return { status, content }
  return response.ok ? later('the answer is no JSON object') : { status, content: {} }
}

function isBusy(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

/** @returns null when it is too long; the rest is not read */
async function textOf({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > MAX_ANSWER) return null
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}

/** Of an error only a name or a code is told: its text may hold the request, and that the credentials. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return later('the request failed')
  if (error.name === 'TimeoutError') return later('no answer in time')
  if (error.name === 'AbortError') return STOPPED
  const { cause } = error
  // Without a cause it is not the network, but the request: a credential that cannot stand in a header, for example.
  if (!(cause instanceof Error)) return refused(`the request cannot be made (${error.name})`)
  return later(`the vendor cannot be reached (${'code' in cause ? String(cause.code) : cause.name})`)
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
