import { z } from 'zod'
import { countClasses } from '../../../objects/reading/count-rows.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

export const rowCount = z
  .object({
    count: z.int(),
    kind: z
      .enum(['exact', 'estimated', 'atLeast'])
      .describe('`estimated`: estimate of the database; `atLeast`: lower bound'),
  })
  .meta({ id: 'RowCount' })

/** GET /admin/apps/:appId/class-counts — returns the number of objects in each class. */
export const adminClassCounts = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/class-counts',
  need: 'see',
  summary: 'Returns how many objects each class has: exact for small classes, estimated for others.',
  answer: z.object({ counts: z.record(z.string(), rowCount).describe('By class name') }),
  handler: async (call) => {
    const app = await appOf(call)
    return ok({ counts: await countClasses(app.objects) })
  },
})
