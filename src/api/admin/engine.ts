import { errors } from '../../errors.ts'
import { isFunctionName } from '../../hooks/function-name.ts'
import { listSchedules } from '../../hooks/schedules-table.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import { ok } from '../call.ts'
import { adminRoute, type Route, type ServerCall } from '../route.ts'

/** The cloud code of an app, for its administrator. */
export const adminEngine: readonly Route[] = [
  /**
   * Reads anew which functions and hooks there are (protocol/cloud-code, Which functions and hooks exist), and has the
   * other servers do so.
   */
  adminRoute('POST', '/admin/apps/:appId/engine/refresh', async (call) => {
    const { engine } = await appOf(call)
    const [production, staging] = await Promise.all([engine.refresh(true), engine.refresh(false)])
    return ok({ production: production && shown(production), staging: staging && shown(staging) })
  }),
  adminRoute('GET', '/admin/apps/:appId/schedules', async (call) => {
    const { schedules } = await appOf(call)
    return ok({ schedules: await listSchedules(schedules) })
  }),
]

/** `answers` says whether the engine is there; if it is not, what it had when it last was is shown. */
function shown({ names, answers }: { readonly names: readonly string[]; readonly answers: boolean }): object {
  return {
    answers,
    functions: names.filter(isFunctionName),
    hooks: names.filter((name) => !isFunctionName(name)),
  }
}

async function appOf({ server, params }: ServerCall): Promise<RunningApp> {
  const app = await server.running.open(params.appId!)
  if (!app) throw errors.notFound(`There is no app with the id '${params.appId!.slice(0, 60)}'.`)
  return app
}
