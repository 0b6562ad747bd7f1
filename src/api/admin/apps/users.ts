import { z } from 'zod'
import { loginStateOf } from '../../../accounts/users/login-state.ts'
import { checkObjectId } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { emptyAnswer } from '../../empty-answer.ts'
import { adminRoute, type Route } from '../../route.ts'

const loginState = z.object({
  hasPassword: z.boolean(),
  hasSession: z.boolean(),
  failures: z.int().min(0),
  lockedUntil: z.iso.datetime().nullable(),
  linked: z.array(z.object({ platform: z.string(), uids: z.array(z.string()) })),
})

/** Operations on users that only the administrator may run (docs/architecture.md, Management). */
export const adminUsers: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/users/:objectId/login',
    need: 'see',
    summary: 'Returns how a user can log in and whether logins are locked, without secrets.',
    answer: loginState,
    handler: async (call) => {
      const app = await appOf(call)
      return ok(await loginStateOf(app.accounts, checkObjectId(call.params.objectId)))
    },
  }),
  // The keys of an app cannot lift the lock of a login (protocol/accounts, Login lockout).
  adminRoute({
    method: 'DELETE',
    path: '/admin/apps/:appId/users/:objectId/lockout',
    need: 'change',
    summary: 'Unlocks the login of a user.',
    answer: emptyAnswer,
    handler: async (call) => {
      const app = await appOf(call)
      await app.accounts.lockout.lift(checkObjectId(call.params.objectId))
      return ok({})
    },
  }),
]
