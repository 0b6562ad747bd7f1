import { listSchedules } from '../../../hooks/schedules-table.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

/** GET /admin/apps/:appId/schedules — the scheduled functions of an app. */
export const adminSchedules = adminRoute(
  'GET',
  '/admin/apps/:appId/schedules',
  async (call) => {
    const { schedules } = await appOf(call)
    return ok({ schedules: await listSchedules(schedules) })
  },
  { summary: 'Lists the scheduled functions of an app, and how their last runs ended.' },
)
