import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { exchange } from '../../../http-client/exchange.ts'
import { HttpFailure } from '../../../http-client/http-failure.ts'
import { isJsonObject, type JsonObject } from '../../../values/json.ts'
import { retryAfter } from '../http2-answer.ts'
import type { Outcome } from '../provider.ts'

/** Access tokens of a service account. */
export interface GoogleToken {
  /** Returns an access token. @returns the outcome of the push when there is no token */
  get(): Promise<string | Outcome>
  /** Drops a token, so that it is not returned again. */
  forget(token: string): void
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Milliseconds until the whole response must have arrived, and maximum bytes that are read. */
const TIMEOUT = 15_000
const MAX_ANSWER = 64 * 1024
/** Seconds. Google issues tokens for an hour, and accepts assertions for at most that long. */
const HOUR = 3600
/** Fraction of a token's lifetime during which it is used. */
const USED_PART = 0.9

/** A service account. */
interface Account {
  readonly clientEmail: string
  /** PEM */
  readonly privateKey: string
  readonly tokenUrl: string
}

/**
 * Exchanges assertions signed with the account's key for access tokens. A token is used until shortly before it expires;
 * concurrent callers share one exchange.
 * @param now returns milliseconds since the epoch
 */
export function googleToken(account: Account, now = Date.now): GoogleToken {
  let current: { readonly token: string; readonly until: number } | null = null
  let exchange: Promise<string | Outcome> | null = null

  const renew = async () => {
    const startedAt = now()
    try {
      const answer = await requestToken(account, startedAt)
      if ('kind' in answer) return answer
      current = { token: answer.token, until: startedAt + answer.lifetime * 1000 * USED_PART }
      return answer.token
    } finally {
      exchange = null
    }
  }
  return {
    async get() {
      if (current && now() < current.until) return current.token
      exchange ??= renew()
      return exchange
    },
    forget(token) {
      if (current?.token === token) current = null
    },
  }
}

/** Requests a token. @returns the token and its lifetime in seconds */
async function requestToken(account: Account, now: number): Promise<{ token: string; lifetime: number } | Outcome> {
  let assertion: string
  try {
    assertion = await signed(account, now)
  } catch {
    return refused('the private key of the service account must be an RSA key in PEM')
  }
  let answer: GoogleAnswer
  try {
    answer = await post(account.tokenUrl, { grant_type: GRANT, assertion })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { kind: 'later', reason: `no access token: ${error.reason}`, after: null }
  }
  const { status, wait } = answer
  const { access_token: token, expires_in: lifetime, error } = answer.content
  if (status === 200 && typeof token === 'string' && /^[!-~]+$/.test(token))
    return { token, lifetime: typeof lifetime === 'number' ? lifetime : HOUR }
  const code = typeof error === 'string' && /^\w{1,64}$/.test(error) ? error : `HTTP status ${status}`
  const reason = `no access token: ${code}`
  if (status !== 429 && status < 500) return refused(reason)
  return { kind: 'later', reason, after: wait }
}

interface GoogleAnswer {
  readonly status: number
  /** Milliseconds from `retry-after`; null without it. */
  readonly wait: number | null
  /** The parsed JSON object; empty for any other body. */
  readonly content: JsonObject
}

/** Sends a POST request to Google. @throws HttpFailure */
function post(url: string, fields: Readonly<Record<string, string>>): Promise<GoogleAnswer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
  const body = new URLSearchParams(fields).toString()
  return exchange({ method: 'POST', url, headers, body, timeout: TIMEOUT, reach: 'app' }, async (answer) => ({
    status: answer.status,
    wait: retryAfter(answer.header('retry-after') ?? undefined, Date.now()),
    content: objectIn(await answer.text(MAX_ANSWER)),
  }))
}

function signed({ clientEmail, privateKey, tokenUrl }: Account, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000)
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(clientEmail)
    .setAudience(tokenUrl)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + HOUR)
    .sign(createPrivateKey(privateKey))
}

function refused(reason: string): Outcome {
  return { kind: 'refused', reason }
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
