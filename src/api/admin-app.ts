import { mayDo } from '../administrators/administrator.ts'
import { errors } from '../errors.ts'
import { type Caller, MASTER } from '../objects/access/caller.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { AdminCall, ServerCall } from './route.ts'

/**
 * Returns the app in the path of an admin endpoint.
 * @throws ApiError 101
 */
export async function appOf({ server, params }: ServerCall): Promise<RunningApp> {
  const app = await server.running.open(params.appId!)
  if (!app) throw errors.notFound(`App '${params.appId!.slice(0, 60)}' not found.`)
  return app
}

/**
 * Returns an administrator as a caller of an app's objects. Administrators that may not change the app do not see
 * values that would let them act, such as session tokens.
 */
export function masterOf({ admin, params }: AdminCall): Caller {
  return { ...MASTER, looksOnly: admin.administrator !== null && !mayDo(admin.administrator, 'change', params.appId!) }
}
