import { errors } from '../../errors.ts'
import { checkObjectId } from '../../values/names.ts'
import { ok } from '../call.ts'
import { adminRoute, type Route } from '../route.ts'

/** What only the administrator can do for a user (docs/architecture.md, Management). */
export const adminUsers: readonly Route[] = [
  // Nothing that an app's keys open lifts the lock of a login (protocol/accounts, Login lockout).
  adminRoute('DELETE', '/admin/apps/:appId/users/:objectId/lockout', async ({ server, params }) => {
    const app = await server.running.open(params.appId!)
    if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
    await app.accounts.lockout.lift(checkObjectId(params.objectId))
    return ok({})
  }),
]
