import { z } from 'zod'
import { checkClassName } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { adminRoute } from '../../../route.ts'

const report = z.object({
  node: z.string().describe('The responding node; each node records its own queries'),
  since: z.string().describe('When this node began to record them'),
  queries: z.array(
    z.object({
      where: z.string().describe('The condition without its values'),
      order: z.string(),
      times: z.int(),
      totalMilliseconds: z.number(),
      slowestMilliseconds: z.number(),
      lastAt: z.string(),
      indexes: z.array(
        z.object({
          keys: z.string(),
          ready: z.boolean(),
          madeBy: z.enum(['homeport', 'administrator']).nullable(),
          madeAt: z.string().nullable(),
          progress: z.number().describe('How close the server is to building it, 0 to 1'),
        }),
      ),
    }),
  ),
})

/** GET /admin/apps/:appId/classes/:className/slow-queries — returns slow queries and the indexes that help (docs/classes.md). */
export const adminSlowQueries = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/classes/:className/slow-queries',
  need: 'see',
  summary:
    'Returns the slow queries of a class on the responding node, without their values, by total time, and the indexes for them.',
  answer: report,
  handler: async (call) => {
    const { objects } = await appOf(call)
    const schema = await objects.classes.find(checkClassName(call.params.className))
    const queries = await objects.indexes.slowQueries(schema)
    return ok({ node: call.server.health.name, since: objects.indexes.since, queries })
  },
})
