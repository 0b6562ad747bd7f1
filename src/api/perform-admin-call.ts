import { audited } from '../administrators/audited.ts'
import { checkNeed } from './authenticate-admin.ts'
import type { Answer } from './call.ts'
import type { AdminCall, AdminRoute } from './route.ts'

/**
 * Calls an endpoint of the management API for who may call it. A change is noted in the audit log before it is made, so
 * that none is missing there after a crash.
 * @throws ApiError 403, and what the endpoint throws
 */
export async function performAdminCall(route: AdminRoute, call: AdminCall): Promise<Answer> {
  checkNeed(call.admin, route.need, call.params.appId)
  if (!route.audited) return route.handler(call)
  const { database } = call.server
  const { admin, sent, params, method, path, body } = call
  const change = {
    administrator: admin.administrator,
    address: sent.address,
    appId: params.appId ?? null,
    method,
    path,
    body,
  }
  return audited(database, change, () => route.handler(call))
}
