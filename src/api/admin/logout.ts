import { endSession } from '../../administrators/sessions.ts'
import { sessionCookie } from '../admin-cookie.ts'
import { ok } from '../call.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { adminRoute } from '../route.ts'

/** POST /admin/logout — ends the session of the request (docs/operations.md, Administrators). */
export const adminLogout = adminRoute({
  method: 'POST',
  path: '/admin/logout',
  need: 'any',
  audited: false,
  summary: 'Ends the current session.',
  answer: emptyAnswer,
  handler: async ({ server, admin, sent }) => {
    if (admin.administrator) await endSession(server.database, admin.administrator.id, admin.sessionId)
    return ok({}, { 'set-cookie': sessionCookie('', 0, sent.protocol) })
  },
})
