import { listSchedules } from '../../../hooks/schedules-table.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

/** GET /admin/apps/:appId/schedules — the scheduled functions of an app. */
export const adminSchedules = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/schedules',
  need: 'see',
  summary: 'Lists the scheduled functions of an app, and how their last runs ended.',
  handler: async (call) => {
    const { schedules } = await appOf(call)
    return ok({ schedules: await listSchedules(schedules) })
  },
})
