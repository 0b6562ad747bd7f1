import { z } from 'zod'
import { listSchedules } from '../../../hooks/schedules-table.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

const time = z.iso.datetime().nullable()
const answer = z.object({
  schedules: z.array(
    z.object({
      name: z.string(),
      function: z.string(),
      nextRunAt: time,
      lastRunAt: time,
      lastOutcome: z
        .object({ status: z.int(), error: z.string().nullable(), endedAt: z.iso.datetime() })
        .nullable()
        .describe('null while it runs, or if its server stopped'),
      disabledAt: time,
    }),
  ),
})

/** GET /admin/apps/:appId/schedules — returns the scheduled functions of an app. */
export const adminSchedules = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/schedules',
  need: 'see',
  summary: 'Lists the scheduled functions of an app, and the results of their last runs.',
  answer,
  handler: async (call) => {
    const { schedules } = await appOf(call)
    return ok({ schedules: await listSchedules(schedules) })
  },
})
