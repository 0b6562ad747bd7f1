import { createHash } from 'node:crypto'
import { call, type Reply, type TestApp } from '../../support/app.ts'

interface ClientRequest {
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  /** The session token of the user who is logged in. */
  readonly session?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Headers = Readonly<Record<string, string>>
export type Send = (method: string, path: string, request?: ClientRequest) => Promise<Reply>

/**
 * Makes requests with the headers of a client and no others of ours.
 * @param common what every request of the client has; made for each, since signatures have times
 * @param contentType of requests with a body
 */
export function requestsOf(app: Pick<TestApp, 'url'>, common: () => Headers, contentType: string): Send {
  return (method, path, { body, query, session, headers } = {}) => {
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const all = {
      ...(body !== undefined && { 'content-type': contentType }),
      ...common(),
      ...(session !== undefined && { 'x-lc-session': session }),
      ...headers,
    }
    return call(app.url, method, path + search, all, body)
  }
}

/** `X-LC-Sign`, by which clients prove the key without saying it (protocol/conventions, Requests). */
export function signOf(key: string, time: number = Date.now(), more: '' | ',master' = ''): string {
  return `${createHash('md5').update(`${time}${key}`).digest('hex')},${time}${more}`
}
