import { stringifySetCookie } from 'cookie'
import { SESSION_COOKIE } from './authenticate-admin.ts'

/**
 * Returns the cookie of an administrator's session, as a header value. Scripts cannot read it, and other sites cannot
 * make the browser send it. Over HTTP, as on the administrator's own machine, it works without TLS.
 * @param maxAge seconds; 0: deletes the cookie
 * @param protocol of the request
 */
export function sessionCookie(secret: string, maxAge: number, protocol: string | null): string {
  const rules = { path: '/admin', httpOnly: true, sameSite: 'strict', secure: protocol === 'https', maxAge } as const
  return stringifySetCookie(SESSION_COOKIE, secret, rules)
}
