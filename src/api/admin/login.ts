import { z } from 'zod'
import { useLink } from '../../administrators/links.ts'
import { beginSession, csrfTokenOf, MAX_SECONDS } from '../../administrators/sessions.ts'
import { sessionCookie } from '../admin-cookie.ts'
import { type Answer, ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { openRoute, type Route, type ServerCall } from '../route.ts'

const named = z.strictObject({
  name: z.string().min(1).max(100),
  password: z.string().max(1000),
  code: z.string().max(20).optional(),
})
const linked = z.strictObject({ token: z.string().min(1).max(200) })
const entered = z.object({ csrfToken: z.string().describe('Required value of the header X-CSRF-Token.') })

/** Logins of administrators (docs/operations.md, Administrators). */
export const adminLogin: readonly Route[] = [
  openRoute({
    method: 'POST',
    path: '/admin/login',
    isManagement: true,
    summary: 'Starts a session with name and password.',
    body: named,
    answer: entered.or(z.object({ needsCode: z.literal(true) })),
    ownPagesOnly: true,
    handler: async (call) => {
      const given = parseBody(named, call.body)
      const id = await call.server.administratorLogin.check({ ...given, code: given.code, address: call.sent.address })
      return id === 'needsCode' ? ok({ needsCode: true }) : enter(call, id)
    },
  }),
  openRoute({
    method: 'POST',
    path: '/admin/login/link',
    isManagement: true,
    summary: 'Starts a session with a link, which can be used once.',
    body: linked,
    answer: entered,
    ownPagesOnly: true,
    handler: async (call) => enter(call, await useLink(call.server.database, parseBody(linked, call.body).token)),
  }),
]

async function enter({ server, sent, userAgent }: ServerCall, administratorId: string): Promise<Answer> {
  const { address, protocol } = sent
  const secret = await beginSession(server.database, administratorId, { address, userAgent })
  return ok({ csrfToken: csrfTokenOf(secret) }, { 'set-cookie': sessionCookie(secret, MAX_SECONDS, protocol) })
}
