import { stringifySetCookie } from 'cookie'
import { SESSION_COOKIE } from './authenticate-admin.ts'

/**
 * The cookie of an administrator's session, as a header sets it. No script reads it, and no other page has it sent. Over
 * HTTP, on one's own machine, it works without TLS.
 * @param maxAge seconds; 0: the browser forgets it
 * @param protocol by which the request came
 */
export function sessionCookie(secret: string, maxAge: number, protocol: string | null): string {
  const rules = { path: '/admin', httpOnly: true, sameSite: 'strict', secure: protocol === 'https', maxAge } as const
  return stringifySetCookie(SESSION_COOKIE, secret, rules)
}
