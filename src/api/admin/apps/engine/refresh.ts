import { z } from 'zod'
import { isFunctionName } from '../../../../hooks/function-name.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { adminRoute } from '../../../route.ts'

const engine = z
  .object({ answers: z.boolean(), functions: z.array(z.string()), hooks: z.array(z.string()) })
  .meta({ id: 'RefreshedEngine' })
  .nullable()

/**
 * POST /admin/apps/:appId/engine/refresh — reloads the list of functions and hooks (protocol/cloud-code, Which
 * functions and hooks exist), on the other nodes as well.
 */
export const refreshEngine = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/engine/refresh',
  need: 'change',
  summary: "Reloads the list of functions and hooks from the app's cloud code.",
  answer: z.object({ production: engine, staging: engine }),
  handler: async (call) => {
    const { engine } = await appOf(call)
    const [production, staging] = await Promise.all([engine.refresh(true), engine.refresh(false)])
    return ok({ production: production && shown(production), staging: staging && shown(staging) })
  },
})

/** Formats the state of an engine. `answers` states whether the engine responds; if not, its last known functions are shown. */
function shown({ names, answers }: { readonly names: readonly string[]; readonly answers: boolean }): object {
  return {
    answers,
    functions: names.filter(isFunctionName),
    hooks: names.filter((name) => !isFunctionName(name)),
  }
}
