import { checkObjectId } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute, type Route } from '../../route.ts'

/** What only the administrator can do for a user (docs/architecture.md, Management). */
export const adminUsers: readonly Route[] = [
  // Nothing that an app's keys open lifts the lock of a login (protocol/accounts, Login lockout).
  adminRoute('DELETE', '/admin/apps/:appId/users/:objectId/lockout', async (call) => {
    const app = await appOf(call)
    await app.accounts.lockout.lift(checkObjectId(call.params.objectId))
    return ok({})
  }),
]
