import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { runningServer } from '../data-directory.ts'
import { exchange, type HttpRequest } from '../http-client/exchange.ts'
import { HttpFailure } from '../http-client/http-failure.ts'
import { inEnglish } from '../notices/in-english.ts'
import { isNotice, NOTICES, type Notice, notice, textNotice } from '../notices/notice.ts'
import { NoticedError } from '../notices/noticed-error.ts'

/** Maximum milliseconds of a request, which may change a large class, and maximum bytes of a response. */
const TIMEOUT_MS = 5 * 60 * 1000
const MAX_ANSWER = 64 * 1024 * 1024
/** Maximum milliseconds of a download; a stalled one ends much earlier. */
const LONGEST_DOWNLOAD = 14 * 24 * 3600 * 1000

export interface ShownApp {
  readonly appId: string
  readonly name: string
  readonly appKey: string
  readonly masterKey: string
  readonly hookKey: string
  readonly ownerEmail: string | null
  readonly createdAt: string
}

/** The server that a command connects to. */
export interface ServerFlags {
  readonly data?: string
  readonly url?: string
}

/** The failure of a request, with one line for the user. */
export class FailedRequest extends NoticedError {
  override readonly name = 'FailedRequest'
  /** The HTTP status; null when no server responded. */
  readonly status: number | null

  /** @param text the full text of the error, if the notice omits the fixed text of its code */
  constructor(status: number | null, notice: Notice, text = inEnglish(notice)) {
    super(notice)
    this.message = text
    this.status = status
  }
}

/** The body of an error response. */
interface FailureBody {
  readonly error?: string
  readonly notice?: unknown
}

function failedRequest(status: number, { error, notice: given }: FailureBody): FailedRequest {
  if (error === undefined) return new FailedRequest(status, notice('serverAnswered', { status }))
  return new FailedRequest(status, isNotice(given) ? given : textNotice(error), error)
}

/** A client of the management API of a running server. */
export interface Management {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** @returns the body of the response. @throws FailedRequest */
  request(method: string, path: string, body?: object): Promise<unknown>
  /** Sends text of another type than JSON. @returns the body of the response. @throws FailedRequest */
  sendText(method: string, path: string, type: string, text: string): Promise<unknown>
  /**
   * Streams a response that is not JSON.
   * @throws FailedRequest with status null when the connection is lost; any error of `use`
   */
  download<Result>(path: string, use: (bytes: AsyncIterable<Buffer>) => Promise<Result>): Promise<Result>
  /**
   * Sends a stream of bytes.
   * @param timeoutMs timeout in milliseconds
   * @throws FailedRequest; the error of `bytes`
   */
  sendBytes(path: string, bytes: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<void>
}

/** Adds the flags that select the server of a command. */
export function withServerFlags(command: Command): Command {
  return command
    .option('--data <directory>', 'data directory of a server on this machine (default ./data)')
    .option('--url <url>', 'URL of the server; requires its administrator token in HOMEPORT_ADMIN_TOKEN')
}

/** @throws Error with one line for the user when no server runs, or its token is unknown */
export function connect(flags: ServerFlags): Management {
  const { url, token } = flags.url ? remote(flags.url) : local(flags)
  const send = async (method: string, path: string, type: string, body: HttpRequest['body'], timeout: number) => {
    checkPath(path)
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, prefer: NOTICES }
    const { status, text } = await exchange(
      { method, url: url + path, headers, body, timeout, reach: 'any' },
      async (answer) => ({
        status: answer.status,
        text: await answer.text(MAX_ANSWER),
      }),
    ).catch(() => {
      throw new FailedRequest(null, notice('noServer', { url }))
    })
    const answer = JSON.parse(text) as FailureBody
    if (status < 200 || status > 299) throw failedRequest(status, answer)
    return answer
  }
  return {
    url,
    request: (method, path, body) => send(method, path, 'application/json', body && JSON.stringify(body), TIMEOUT_MS),
    sendText: (method, path, type, text) => send(method, path, type, text, TIMEOUT_MS),
    async sendBytes(path, bytes, timeoutMs) {
      await send('PUT', path, 'application/octet-stream', bytes, timeoutMs)
    },
    async download(path, use) {
      checkPath(path)
      const headers = { authorization: `Bearer ${token}`, prefer: NOTICES }
      return exchange(
        { method: 'GET', url: url + path, headers, timeout: LONGEST_DOWNLOAD, reach: 'any' },
        async (answer) => {
          if (answer.status !== 200) {
            throw failedRequest(answer.status, JSON.parse(await answer.text(MAX_ANSWER)) as FailureBody)
          }
          return use(answer.bytes())
        },
      ).catch((error: unknown) => {
        throw error instanceof HttpFailure ? new FailedRequest(null, notice('connectionLost', { url })) : error
      })
    },
  }
}

/**
 * Rejects a path that would change when it becomes a URL: a class named `..` would address the app itself.
 * @throws Error with one line for the user
 */
function checkPath(path: string): void {
  const dots = /^[^?]*\/((?:\.|%2e){1,2})(?=[/?]|$)/i.exec(path)
  if (dots) throw new Error(`'${dots[1]}' is not a valid name of an app or class`)
}

/** Returns the path of an app in the management API. */
export function appPath(appId: string): string {
  return `/admin/apps/${encodeURIComponent(appId)}`
}

export async function chooseApp({ request }: Management, appId: string | undefined): Promise<ShownApp> {
  if (appId !== undefined) return (await request('GET', appPath(appId))) as ShownApp
  const { apps } = (await request('GET', '/admin/apps')) as { apps: ShownApp[] }
  if (apps.length === 1) return apps[0]!
  const ids = apps.map((app) => `${app.appId} (${app.name})`)
  throw new Error(`name the app with --app: ${ids.join(', ') || 'none exists yet'}`)
}

function remote(url: string): { url: string; token: string } {
  const token = process.env.HOMEPORT_ADMIN_TOKEN
  if (!token) throw new Error('set HOMEPORT_ADMIN_TOKEN to the administrator token of the server')
  return { url: url.replace(/\/+$/, ''), token }
}

function local(flags: ServerFlags): { url: string; token: string } {
  const data = resolve(readConfig({ data: flags.data }, process.env).data)
  const running = runningServer(data)
  if (!running?.url)
    throw new Error(`no server is running on ${data}; start it, or select another server with --data or --url`)
  const token = process.env.HOMEPORT_ADMIN_TOKEN ?? readFileSync(join(data, 'admin-token'), 'utf8').trim()
  return { url: running.url, token }
}
