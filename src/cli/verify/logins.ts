import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { forEachInParallel } from '../../scheduling/in-parallel.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'

/** The public API of an app. */
export interface PublicApp {
  /** Without a trailing slash. */
  readonly url: string
  readonly appId: string
  readonly appKey: string
}

/** A failed login. */
export interface FailedLogin {
  /** The name of the user; the line number when there is none. */
  readonly who: string
  readonly reason: string
}

export interface CheckedLogins {
  readonly checked: number
  readonly failed: number
  /** The first failures. */
  readonly failures: readonly FailedLogin[]
}

const AT_A_TIME = 2
/** Timeout of a login in milliseconds. Hashing takes long, and other logins may be queued. */
const TIMEOUT_MS = 30_000
const MAX_ANSWER = 20 * 1024 * 1024
/** Maximum attempts when the server is overloaded: two minutes in total. */
const ATTEMPTS = 9
const FIRST_PAUSE = 500
const MAX_LINE = 10_000
const MAX_LISTED = 1000

/** A parsed line: a login request, or why it is invalid. */
type Login =
  | {
      readonly who: string
      readonly path: string
      readonly method: 'POST' | 'GET'
      readonly body?: JsonObject
      readonly session?: string
    }
  | { readonly who: string; readonly reason: string }

/**
 * Logs in with each line of a file through the public API. Reports contain neither passwords nor tokens.
 * @param path lines `username password`, or JSON: `{"username":…,"password":…}`, also with `email` or `mobilePhoneNumber` for the
 *   name, or `{"sessionToken":…}`; `-` is the standard input
 * @param onFailed called with each failure
 * @throws Error with one line for the user when the file cannot be read
 */
export async function checkLogins(
  path: string,
  app: PublicApp,
  onFailed: (failed: FailedLogin) => void,
): Promise<CheckedLogins> {
  const failures: FailedLogin[] = []
  let [checked, failed] = [0, 0]
  await forEachInParallel(loginsIn(path), AT_A_TIME, async (login) => {
    const reason = 'reason' in login ? login.reason : await tried(login, app)
    checked++
    if (reason === null) return
    failed++
    const one = { who: login.who, reason }
    if (failures.length < MAX_LISTED) failures.push(one)
    onFailed(one)
  })
  return { checked, failed, failures }
}

async function* loginsIn(path: string): AsyncGenerator<Login> {
  const input = path === '-' ? process.stdin : createReadStream(path)
  let number = 0
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++
      const text = number === 1 ? line.replace(/^\ufeff/, '') : line
      if (text.trim() !== '' && !text.startsWith('#')) yield parseLogin(text, number)
    }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** @param number of the line, from 1 */
export function parseLogin(line: string, number: number): Login {
  const at = `line ${number}`
  if (line.length > MAX_LINE) return { who: at, reason: 'the line is too long' }
  if (line.trimStart().startsWith('{')) return parsed(line, at)
  const [, username, password] = /^\s*(\S+)\s(.+)$/.exec(line) ?? []
  if (username === undefined || password === undefined)
    return { who: at, reason: "the line must be 'username password' or JSON" }
  return byPassword(username, { username, password })
}

function parsed(line: string, at: string): Login {
  let login: Json
  try {
    login = JSON.parse(line) as Json
  } catch {
    return { who: at, reason: 'the line must be valid JSON' }
  }
  const { sessionToken, username, email, mobilePhoneNumber, password } = isJsonObject(login)
    ? login
    : ({} as JsonObject)
  if (typeof sessionToken === 'string')
    return { who: `${at} (session token)`, method: 'GET', path: '/1.1/users/me', session: sessionToken }
  const name = username ?? email ?? mobilePhoneNumber
  if (typeof name !== 'string' || typeof password !== 'string')
    return { who: at, reason: "the line must have 'username' and 'password', or 'sessionToken'" }
  const by = username !== undefined ? { username } : email !== undefined ? { email } : { mobilePhoneNumber: name }
  return byPassword(name, { ...by, password })
}

function byPassword(who: string, body: JsonObject): Login {
  return { who: who.slice(0, 200), method: 'POST', path: '/1.1/login', body }
}

/** @returns why the login fails; null on success */
async function tried(login: Exclude<Login, { reason: string }>, app: PublicApp): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await requestLogin(login, app)
    if (status >= 200 && status <= 299) return null
    const mayPass = status === 0 || status === 429 || status >= 500
    if (!mayPass || attempt === ATTEMPTS) return withoutSecrets(reasonIn(status, text), login)
    await sleep(FIRST_PAUSE * 2 ** (attempt - 1))
  }
}

async function requestLogin(
  { method, path, body, session }: Exclude<Login, { reason: string }>,
  { url, appId, appKey }: PublicApp,
) {
  const headers = {
    'x-lc-id': appId,
    'x-lc-key': appKey,
    ...(body && { 'content-type': 'application/json' }),
    // A value that a header cannot contain is not a token either.
    ...(session !== undefined && { 'x-lc-session': /^[\x21-\x7e]{1,500}$/.test(session) ? session : 'none' }),
  }
  try {
    const request = {
      method,
      url: url + path,
      headers,
      body: body && JSON.stringify(body),
      timeout: TIMEOUT_MS,
      reach: 'any',
    } as const
    return await exchange(request, async (answer) => ({ status: answer.status, text: await answer.text(MAX_ANSWER) }))
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { status: 0, text: '' }
  }
}

function reasonIn(status: number, text: string): string {
  if (status === 0) return 'the server does not respond'
  try {
    const { code, error } = JSON.parse(text) as { code?: unknown; error?: unknown }
    return `${status} (code ${String(code)}): ${String(error).slice(0, 200)}`
  } catch {
    return `the server returned status ${status}`
  }
}

function withoutSecrets(reason: string, { body, session }: Exclude<Login, { reason: string }>): string {
  const secrets = [body?.password, session].filter((one) => typeof one === 'string' && one !== '') as string[]
  return secrets.some((secret) => reason.includes(secret)) ? 'refused' : reason
}
