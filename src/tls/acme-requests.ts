import type { axios } from 'acme-client'
import { exchange } from '../http-client/exchange.ts'

/** Milliseconds after which a request to a certificate authority fails, and maximum bytes of a response. */
const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024
/** Headers of responses that the ACME library reads. */
const HEADERS = ['location', 'replay-nonce', 'link', 'content-type'] as const

type Axios = typeof axios
/** The function by which the ACME library sends a request; it uses few members of its result. */
type Adapter = Extract<Axios['defaults']['adapter'], (...parameters: never[]) => unknown>

/** A certificate authority cannot serve a request at this time. */
export class AuthorityBusy extends Error {
  /** Milliseconds after which it accepts requests again; null when it does not say. */
  readonly retryAfterMs: number | null

  constructor(reason: string, retryAfterMs: number | null) {
    super(reason)
    this.name = 'AuthorityBusy'
    this.retryAfterMs = retryAfterMs
  }
}

/** Makes the ACME library send its requests by `send`. */
export function useOwnRequests(library: Axios): void {
  library.defaults.adapter = send
}

/**
 * Sends a request of the ACME library. The library would repeat failed requests five times after any pause that the authority
 * names, and would not report the pause; orders are repeated as a whole instead (`renewal-time.ts`).
 * @throws AuthorityBusy for status 429 and 5XX, and Error when the authority cannot be reached
 */
const send: Adapter = async (config) => {
  const { url = '', method = 'get', data } = config
  const body = typeof data === 'string' ? data : undefined
  const { text, ...response } = await request(url, method.toUpperCase(), body)
  return { ...response, data: text, statusText: '', config }
}

/** Returns the JSON of a resource of the authority that needs no account. */
export async function getJson(url: string): Promise<unknown> {
  const { text, status } = await request(url, 'GET')
  if (status !== 200) throw new Error(`The certificate authority responded to ${url} with status ${status}.`)
  return JSON.parse(text) as unknown
}

interface AuthorityResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

async function request(url: string, method: string, body?: string): Promise<AuthorityResponse> {
  const headers = { 'user-agent': 'homeport', ...(body !== undefined && { 'content-type': 'application/jose+json' }) }
  const sent = { url, method, headers, body, timeout: TIMEOUT_MS, reach: 'any' as const }
  const response = await exchange(sent, async ({ status, header, text }) => ({
    status,
    headers: Object.fromEntries(HEADERS.flatMap((name) => (header(name) === null ? [] : [[name, header(name)!]]))),
    text: await text(MAX_BYTES),
    retryAfter: header('retry-after'),
  })).catch((error: Error) => {
    throw new Error(`The certificate authority ${new URL(url).host} cannot be reached: ${error.message}`)
  })
  const { retryAfter, ...result } = response
  if (result.status !== 429 && result.status < 500) return result
  throw new AuthorityBusy(
    detailOf(result.text) ?? `The certificate authority responded with status ${result.status}.`,
    pauseOf(retryAfter, Date.now()),
  )
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait; null for none.
 * @param value seconds or a date
 * @param now milliseconds since 1970
 */
export function pauseOf(value: string | null, now: number): number | null {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) && ms > 0 ? ms : null
}

/** Returns the explanation of an error document (RFC 7807); null when it has none. */
function detailOf(text: string): string | null {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown }
    return typeof detail === 'string' ? detail : null
  } catch {
    return null
  }
}
