import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import { type Administrator, mayDo, type Need } from '../administrators/administrator.ts'
import { csrfTokenOf, findSession } from '../administrators/sessions.ts'
import { errors } from '../errors.ts'
import { isSentFrom, type SenderAddress, senderText } from '../proxies.ts'
import { isSameSecret } from '../values/secrets.ts'
import { isOwnSite, isScripted, isValidTicket } from './console-requests.ts'
import type { Server } from './server-context.ts'

/** The cookie with the secret of a session, for paths below `/admin`. */
export const SESSION_COOKIE = 'homeport_session'

/** The caller of the management API; null for the admin token, which has all permissions. */
export type Admin =
  | { readonly administrator: null }
  | { readonly administrator: Administrator; readonly sessionId: string; readonly csrfToken: string }

export interface AdminRequest {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Allows a download by the browser without headers (`downloadTicket`). */
  readonly download?: { readonly path: string; readonly ticket: string } | undefined
}

/**
 * Authenticates a request to the management API by the admin token or the cookie of a session.
 * @throws ApiError 401, 403
 */
export async function authenticateAdmin(
  server: Pick<Server, 'adminToken' | 'adminAddresses' | 'database'>,
  request: AdminRequest,
  sent: SenderAddress,
): Promise<Admin> {
  const { authorization } = request.headers
  const admin = authorization === undefined ? await ofSession(server, request) : ofToken(server, authorization)
  if (server.adminAddresses.length > 0 && !isSentFrom(server.adminAddresses, sent))
    throw errors.forbidden(`Administrators cannot log in from ${senderText(sent)} (--admin-addresses).`)
  return admin
}

/**
 * Checks that the caller has a permission.
 * @param appId the app concerned, if any
 * @throws ApiError 403
 */
export function checkNeed({ administrator }: Admin, need: Need, appId: string | undefined): void {
  if (administrator === null || mayDo(administrator, need, appId)) return
  throw errors.forbidden(REFUSALS[need])
}

const REFUSALS: { readonly [need in Need]: string } = {
  any: 'You do not have permission for this request.',
  see: 'You do not have access to this app.',
  change: 'You do not have permission to change this app.',
  own: 'Only owners can do this.',
}

function ofToken({ adminToken }: Pick<Server, 'adminToken'>, authorization: string): Admin {
  const [scheme, token] = authorization.split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || !isSameSecret(token, adminToken))
    throw errors.unauthorized()
  return { administrator: null }
}

async function ofSession(
  { database }: Pick<Server, 'database'>,
  { method, headers, download }: AdminRequest,
): Promise<Admin> {
  const secret = parseCookie(headers.cookie ?? '')[SESSION_COOKIE]
  if (!secret) throw errors.unauthorized()
  // In addition to SameSite, which does not apply to pages on other ports or subdomains of the same site.
  const site = headers['sec-fetch-site']
  if (site !== undefined && !isOwnSite(site))
    throw errors.forbidden('The request was sent by another page; the session is valid for the console only.')
  const session = await findSession(database, secret)
  if (!session) throw errors.unauthorized('The session has ended; log in again.')
  const csrfToken = csrfTokenOf(secret)
  const shown = headers['x-csrf-token']
  const isProved =
    (typeof shown === 'string' && isSameSecret(shown, csrfToken)) ||
    ((method === 'GET' || method === 'HEAD') &&
      (isScripted(headers) || (download !== undefined && isValidTicket(csrfToken, download.path, download.ticket))))
  if (!isProved) throw errors.forbidden("The header X-CSRF-Token must be the 'csrfToken' of GET /admin/me.")
  return { administrator: session.administrator, sessionId: session.id, csrfToken }
}
