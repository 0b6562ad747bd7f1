import { errors } from '../errors.ts'
import type { RunningApp } from '../running-app/running-app.ts'
import type { ServerCall } from './route.ts'

/** The app whose id an endpoint of the administrator has in its path. @throws ApiError 101 */
export async function appOf({ server, params }: ServerCall): Promise<RunningApp> {
  const app = await server.running.open(params.appId!)
  if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
  return app
}
