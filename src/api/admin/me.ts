import { z } from 'zod'
import type { Administrator } from '../../administrators/administrator.ts'
import { beginCodes, confirmCodes, endCodes } from '../../administrators/one-time-codes.ts'
import { endSession, endSessions, listSessions } from '../../administrators/sessions.ts'
import { errors } from '../../errors.ts'
import { ok } from '../call.ts'
import { downloadTicket } from '../console-requests.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { parseBody } from '../parse-body.ts'
import { type AdminCall, adminRoute, type Route } from '../route.ts'
import { shownAdministrator } from './administrators.ts'

const password = z.string().max(1000)
const newPassword = z.strictObject({ currentPassword: password.optional(), password })
const confirmed = z.strictObject({ code: z.string().max(20) })
const toDownload = z.strictObject({ path: z.string().startsWith('/admin/').max(500) })
const withPassword = z.strictObject({ currentPassword: password.optional() })

/** Requests with the admin token belong to no administrator. */
const me = z.union([
  z.object({ administrator: shownAdministrator, csrfToken: z.string(), sessionId: z.string() }),
  z.object({ administrator: z.null() }),
])
const shownSession = z.object({
  id: z.uuid(),
  address: z.string(),
  userAgent: z.string(),
  createdAt: z.iso.datetime(),
  usedAt: z.iso.datetime(),
})

/** The calling administrator's own account (docs/operations.md, Administrators). */
export const adminMe: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/me',
    need: 'any',
    summary: 'Returns the calling administrator and the value for the header X-CSRF-Token.',
    answer: me,
    handler: async ({ admin }) =>
      ok(
        admin.administrator === null
          ? { administrator: null }
          : { administrator: admin.administrator, csrfToken: admin.csrfToken, sessionId: admin.sessionId },
      ),
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/me/download-tickets',
    need: 'any',
    summary: 'Creates a ticket for one path, with which the browser can start a download within a minute.',
    body: toDownload,
    answer: z.object({ ticket: z.string() }),
    audited: false,
    handler: async ({ admin, body }) => {
      const { path } = parseBody(toDownload, body)
      if (admin.administrator === null)
        throw errors.forbidden("The administrator's token needs no ticket: send it in the header Authorization.")
      return ok({ ticket: downloadTicket(admin.csrfToken, path) })
    },
  }),
  adminRoute({
    method: 'PUT',
    path: '/admin/me/password',
    need: 'any',
    summary: 'Sets the password of the caller and ends all other sessions.',
    body: newPassword,
    answer: emptyAnswer,
    handler: async (call) => {
      const { id, sessionId } = person(call)
      const { currentPassword, password } = parseBody(newPassword, call.body)
      await call.server.administratorLogin.setPassword(id, currentPassword, password, call.sent.address)
      await endSessions(call.server.database, id, sessionId)
      return ok({})
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/me/codes',
    need: 'any',
    summary: 'Creates a secret for one-time codes; they are required once one is confirmed.',
    body: withPassword,
    answer: z.object({ secret: z.string(), uri: z.string() }),
    handler: async (call) => {
      const { id, name } = person(call)
      const { currentPassword } = parseBody(withPassword, call.body)
      await call.server.administratorLogin.confirm(id, currentPassword, call.sent.address)
      return ok(await beginCodes(call.server.database, { id, name }))
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/me/codes/confirm',
    need: 'any',
    summary: 'Confirms a one-time code; from then on each login requires one.',
    body: confirmed,
    answer: emptyAnswer,
    handler: async (call) => {
      await confirmCodes(call.server.database, person(call).id, parseBody(confirmed, call.body).code)
      return ok({})
    },
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/me/codes',
    need: 'any',
    summary: 'Disables one-time codes.',
    body: withPassword,
    answer: emptyAnswer,
    handler: async (call) => {
      const { id } = person(call)
      const { currentPassword } = parseBody(withPassword, call.body)
      await call.server.administratorLogin.confirm(id, currentPassword, call.sent.address)
      await endCodes(call.server.database, id)
      return ok({})
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/me/sessions',
    need: 'any',
    summary: 'Lists the sessions of the caller.',
    answer: z.object({ sessions: z.array(shownSession) }),
    handler: async (call) => ok({ sessions: await listSessions(call.server.database, person(call).id) }),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/me/sessions/:sessionId',
    need: 'any',
    summary: 'Ends a session of the caller.',
    answer: emptyAnswer,
    handler: async (call) => {
      if (!(await endSession(call.server.database, person(call).id, call.params.sessionId!)))
        throw errors.notFound('Session not found.')
      return ok({})
    },
  }),
]

/** @throws ApiError 403 for requests with the admin token, which belong to no administrator */
function person({ admin }: AdminCall): Administrator & { readonly sessionId: string } {
  if (admin.administrator === null)
    throw errors.forbidden("The administrator's token has no profile: log in with a name.")
  return { ...admin.administrator, sessionId: admin.sessionId }
}
