import { z } from 'zod'
import type { EngineState } from '../../../hooks/engine.ts'
import { isFunctionName } from '../../../hooks/function-name.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

const engine = z
  .object({ url: z.string(), answers: z.boolean(), functions: z.array(z.string()), hooks: z.array(z.string()) })
  .meta({ id: 'Engine' })
  .nullable()

/** GET /admin/apps/:appId/engine — returns the URLs of an app's cloud code, its functions and hooks, and recent failures. */
export const adminEngine = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/engine',
  need: 'see',
  summary:
    "Returns where the app's cloud code runs, its functions and hooks, and recent failures on the responding node.",
  answer: z.object({
    production: engine,
    staging: engine,
    failures: z.array(z.object({ at: z.string(), hook: z.string(), reason: z.string() })),
    node: z.string().describe('the responding node; each node records its own failures'),
  }),
  handler: async (call) => {
    const { engine } = await appOf(call)
    const [production, staging] = await Promise.all([engine.look(true), engine.look(false)])
    return ok({
      production: production && shown(production),
      staging: staging && shown(staging),
      failures: engine.failures,
      node: call.server.health.name,
    })
  },
})

function shown({ url, names, answers }: EngineState): z.infer<typeof engine> {
  return {
    url,
    answers,
    functions: names.filter(isFunctionName),
    hooks: names.filter((name) => !isFunctionName(name)),
  }
}
