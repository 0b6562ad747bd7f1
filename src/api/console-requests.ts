import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isOwnOrigin } from '../apps/web-origins.ts'
import { errors } from '../errors.ts'
import { isSameSecret } from '../values/secrets.ts'

/** Seconds for which a browser may begin the download that it got a ticket for. */
const TICKET_SECONDS = 60

/**
 * Checks that no page of another origin sent a request that begins a session: such a page could log the administrator in
 * under another name, and see what is entered then. Clients that are no browsers send neither header.
 * @param host the host that the client named
 * @throws ApiError 403; 415 for a body that a form can send
 */
export function checkOwnPage(headers: IncomingHttpHeaders, host: string | null): void {
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = headers
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw errors.unsupportedMediaType("The request must have the Content-Type 'application/json'.")
  // A proxy may have changed the host, so the origin is compared with it only where the browser does not say more.
  const isOwn = site !== undefined ? isOwnSite(site) : origin === undefined || isOwnOrigin(origin, host)
  if (!isOwn) throw errors.forbidden('The request was sent by a page of another origin.')
}

/** The request comes from a page of this origin, or from none: from the address bar, or from a program. */
export function isOwnSite(site: IncomingHttpHeaders[string]): boolean {
  return site === 'same-origin' || site === 'none'
}

/**
 * Whether a script of the console sent a request. Pictures, links and forms in a page of the console carry the cookie as well,
 * and what users store chooses where they lead.
 */
export function isScripted(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode, 'x-requested-with': header } = headers
  // Browsers before Fetch Metadata: no element of a page can set the header.
  return (destination === 'empty' && (mode === 'cors' || mode === 'same-origin')) || header !== undefined
}

/**
 * Makes a ticket, by which the browser itself may download what is at a path, as it does for a link.
 * @param key the CSRF token of the session
 */
export function downloadTicket(key: string, path: string, now = Date.now()): string {
  const expires = Math.floor(now / 1000) + TICKET_SECONDS
  return `${expires}.${signatureOf(key, path, expires)}`
}

/** Whether a ticket allows the download at a path now. */
export function isValidTicket(key: string, path: string, ticket: string, now = Date.now()): boolean {
  const [expires = '', signature = ''] = ticket.split('.')
  if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 < now) return false
  return isSameSecret(signature, signatureOf(key, path, Number(expires)))
}

function signatureOf(key: string, path: string, expires: number): string {
  return createHmac('sha256', key).update(`download ${expires} ${path}`).digest('base64url')
}
