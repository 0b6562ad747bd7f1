import { mayDo } from '../administrators/administrator.ts'
import { errors } from '../errors.ts'
import { type Caller, MASTER } from '../objects/access/caller.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { AdminCall, ServerCall } from './route.ts'

/** The app whose id an endpoint of the administrator has in its path. @throws ApiError 101 */
export async function appOf({ server, params }: ServerCall): Promise<RunningApp> {
  const app = await server.running.open(params.appId!)
  if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
  return app
}

/** An administrator as a reader of an app's objects: who may change nothing is shown nothing that can be acted with. */
export function masterOf({ admin, params }: AdminCall): Caller {
  return { ...MASTER, looksOnly: admin.administrator !== null && !mayDo(admin.administrator, 'change', params.appId!) }
}
