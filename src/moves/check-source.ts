import { exchange, type HttpAnswer } from '../http-client/exchange.ts'
import { HttpFailure } from '../http-client/http-failure.ts'
import { PRIVATE_ADDRESS, PrivateAddress } from '../http-client/reachable-address.ts'
import { isJsonObject, type Json } from '../values/json.ts'

/** Timeout of the source in milliseconds. It is short because the administrator waits for the verdict. */
const ANSWER_TIMEOUT_MS = 4000
/** The schemas of 500 classes with 300 fields each are smaller. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/**
 * - `unknownHost`: the host name cannot be resolved
 * - `unreachable`: no connection, or no trusted one
 * - `timeout`: no response in time
 * - `redirect`: the source redirects to another address
 * - `notAnApi`: the response is not from an API of this kind
 * - `refused`: the app id or the master key is wrong
 * - `failing`: the source responds with an error of its own
 */
export const SOURCE_CHECK_RESULTS = [
  'ok',
  'unknownHost',
  'unreachable',
  'timeout',
  'redirect',
  'notAnApi',
  'refused',
  'failing',
] as const

type SourceCheckResult = (typeof SOURCE_CHECK_RESULTS)[number]

export interface SourceCheck {
  readonly verdict: SourceCheckResult
  /** A network error code or an HTTP status; null when there is neither. */
  readonly reason: string | null
}

/** Requests the classes of a source app once, to find a wrong address or key before the move starts. */
export async function checkSource(url: string, appId: string, masterKey: string): Promise<SourceCheck> {
  try {
    const request = {
      method: 'GET',
      url: `${url.replace(/\/+$/, '')}/1.1/schemas`,
      headers: { 'x-lc-id': appId, 'x-lc-key': `${masterKey},master`, accept: 'application/json' },
      timeout: ANSWER_TIMEOUT_MS,
      reach: 'app',
    } as const
    return await exchange(request, resultOf)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const { kind, reason } = error
    if (kind === 'timeout') return { verdict: 'timeout', reason: null }
    if (kind === 'too-long') return { verdict: 'ok', reason: null }
    return { verdict: reason === 'ENOTFOUND' || reason === 'EAI_AGAIN' ? 'unknownHost' : 'unreachable', reason }
  }
}

/** Returns what is wrong with a source and how to fix it; null when nothing is wrong, or the fault may be temporary. */
export function sourceFault(url: string, { verdict, reason }: SourceCheck): string | null {
  switch (verdict) {
    case 'ok':
    case 'failing':
      return null
    case 'unknownHost':
      return `The host of the source ${url} was not found (${reason}). Check the URL.`
    case 'unreachable':
      if (reason === new PrivateAddress().code) return `The source ${url} cannot be reached: ${PRIVATE_ADDRESS}.`
      return `The source ${url} cannot be reached (${reason}). Check the URL, and whether the source is running.`
    case 'timeout':
      return `The source ${url} did not respond within ${ANSWER_TIMEOUT_MS / 1000} seconds. Check the URL.`
    case 'redirect':
      return `The source ${url} redirects to another URL (${reason}). Use that URL.`
    case 'notAnApi':
      return `The server at ${url} did not return an API response (${reason}). Use the base URL of the API, without a path, such as https://api.example.org.`
    case 'refused':
      return `The source ${url} rejected the keys (${reason}). Check the app ID and the master key.`
  }
}

async function resultOf(answer: HttpAnswer): Promise<SourceCheck> {
  const { status } = answer
  const reason = `HTTP ${status}`
  if (status >= 300 && status <= 399) return { verdict: 'redirect', reason: answer.header('location') ?? reason }
  const body = parsed(await answer.text(MAX_ANSWER_BYTES))
  // Proxies and web pages respond with errors too, but an API does so in JSON.
  if (!isJsonObject(body)) return { verdict: status >= 500 ? 'failing' : 'notAnApi', reason }
  if (status === 401 || status === 403) return { verdict: 'refused', reason }
  if (status === 404) return { verdict: 'notAnApi', reason }
  return { verdict: status >= 200 && status <= 299 ? 'ok' : 'failing', reason }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
