import { statisticsOf } from '../../../messaging/sessions/statistics.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/**
 * GET /1.2/rtm/stats — returns the number of clients online, and of clients seen today (protocol/messaging, Global
 * operations).
 */
export const stats = masterRoute({
  method: 'GET',
  path: '/1.2/rtm/stats',
  rate: 'queries',
  adminReadable: true,
  handler: async ({ app }) => {
    const { online, today } = await statisticsOf(app.messaging)
    return ok({ result: { online_user_count: online, user_count_today: today } })
  },
})
