import { stringifySetCookie } from 'cookie'
import { z } from 'zod'
import { useLink } from '../../administrators/links.ts'
import { beginSession, csrfTokenOf, endSession, MAX_SECONDS } from '../../administrators/sessions.ts'
import { SESSION_COOKIE } from '../authenticate-admin.ts'
import { type Answer, ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, openRoute, type Route, type ServerCall } from '../route.ts'

const named = z.strictObject({
  name: z.string().min(1).max(100),
  password: z.string().max(1000),
  code: z.string().max(20).optional(),
})
const linked = z.strictObject({ token: z.string().min(1).max(200) })

/** Coming in and going (docs/operations.md, Administrators). */
export const adminLogin: readonly Route[] = [
  openRoute('POST', '/admin/login', async (call) => {
    const given = parseBody(named, call.body)
    const id = await call.server.administratorLogin.check({ ...given, code: given.code, address: call.sent.address })
    return id === 'needsCode' ? ok({ needsCode: true }) : enter(call, id)
  }),
  openRoute('POST', '/admin/login/link', async (call) =>
    enter(call, await useLink(call.server.database, parseBody(linked, call.body).token)),
  ),
  adminRoute(
    'POST',
    '/admin/logout',
    async ({ server, admin, sent }) => {
      if (admin.administrator) await endSession(server.database, admin.administrator.id, admin.sessionId)
      return ok({}, { 'set-cookie': cookie('', 0, sent.protocol === 'https') })
    },
    { need: 'any', audited: false },
  ),
]

async function enter({ server, sent, userAgent }: ServerCall, administratorId: string): Promise<Answer> {
  const { address, protocol } = sent
  const secret = await beginSession(server.database, administratorId, { address, userAgent })
  return ok({ csrfToken: csrfTokenOf(secret) }, { 'set-cookie': cookie(secret, MAX_SECONDS, protocol === 'https') })
}

/** No script reads it, and no other page has it sent. Over HTTP on one's own machine it works without TLS. */
function cookie(value: string, maxAge: number, secure: boolean): string {
  const rules = { path: '/admin', httpOnly: true, sameSite: 'strict', secure, maxAge } as const
  return stringifySetCookie(SESSION_COOKIE, value, rules)
}
