import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isOwnOrigin } from '../apps/web-origins.ts'
import { errors } from '../errors.ts'
import { isSameSecret } from '../values/secrets.ts'

/** Seconds within which a browser may begin a download with its ticket. */
const TICKET_SECONDS = 60

/**
 * Checks that a request to start a session was not sent by a page of another origin: such a page could log the
 * administrator in under another name, and read the data entered afterwards. Clients other than browsers send neither
 * header.
 * @param host the host in the client's request
 * @throws ApiError 403; 415 for a body that a form can send
 */
export function checkOwnPage(headers: IncomingHttpHeaders, host: string | null): void {
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = headers
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw errors.unsupportedMediaType("The request must have the Content-Type 'application/json'.")
  // A proxy may have changed the host, so the origin is compared with it only if the browser sends no Sec-Fetch-Site.
  const isOwn = site !== undefined ? isOwnSite(site) : origin === undefined || isOwnOrigin(origin, host)
  if (!isOwn) throw errors.forbidden('The request was sent by a page of another origin.')
}

/** Returns whether a request is from a page of this origin, or from no page: from the address bar, or from a program. */
export function isOwnSite(site: IncomingHttpHeaders[string]): boolean {
  return site === 'same-origin' || site === 'none'
}

/**
 * Returns whether a script of the console sent a request. Images, links and forms in a page of the console also carry
 * the cookie, and stored user data can choose their URLs.
 */
export function isScripted(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode, 'x-requested-with': header } = headers
  // For browsers before Fetch Metadata: no element of a page can set the header.
  return (destination === 'empty' && (mode === 'cors' || mode === 'same-origin')) || header !== undefined
}

/**
 * Returns a ticket that allows a download of a path by the browser without headers, as for a link.
 * @param key the CSRF token of the session
 */
export function downloadTicket(key: string, path: string, now = Date.now()): string {
  const expires = Math.floor(now / 1000) + TICKET_SECONDS
  return `${expires}.${signatureOf(key, path, expires)}`
}

/** Returns whether a ticket currently allows the download of a path. */
export function isValidTicket(key: string, path: string, ticket: string, now = Date.now()): boolean {
  const [expires = '', signature = ''] = ticket.split('.')
  if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 < now) return false
  return isSameSecret(signature, signatureOf(key, path, Number(expires)))
}

function signatureOf(key: string, path: string, expires: number): string {
  return createHmac('sha256', key).update(`download ${expires} ${path}`).digest('base64url')
}
