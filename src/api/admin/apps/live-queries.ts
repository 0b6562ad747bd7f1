import { z } from 'zod'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

/** GET /admin/apps/:appId/live-queries — counts the live query subscriptions of all nodes. */
export const adminLiveQueries = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/live-queries',
  need: 'see',
  summary: 'Counts live queries and their subscribers by class, on all nodes.',
  answer: z.object({
    classes: z.array(z.object({ className: z.string(), queries: z.int(), subscribers: z.int() })),
  }),
  handler: async (call) => ok({ classes: await (await appOf(call)).liveQueries.table.countByClass() }),
})
