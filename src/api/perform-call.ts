import { isMissingTable } from '../database/faults.ts'
import { errors } from '../errors.ts'
import type { Answer, Call } from './call.ts'
import type { AppRoute } from './route.ts'

/**
 * Calls an endpoint of an app. When another node has just deleted a class that is read, or the app, that is found out and
 * the answer is that of a class or app that does not exist. Writes see to it themselves (`withCurrentClasses`), because
 * half of what an endpoint does may be done.
 */
export function performCall(route: AppRoute, call: Call): Promise<Answer> {
  return route.handler(call).catch(async (error: unknown) => {
    if (!isMissingTable(error)) throw error
    if (!(await call.server.running.lookAgain(call.app))) throw errors.unauthorized()
    if (route.method !== 'GET') throw error
    return route.handler(call)
  })
}
