import { z } from 'zod'
import { listTasks } from '../../../hooks/task-queue.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

/** GET /admin/apps/:appId/tasks — returns the queued functions of an app's cloud code and their outcomes. */
export const adminTasks = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/tasks',
  need: 'see',
  summary: "Lists the newest 100 tasks of the app's cloud queue.",
  answer: z.object({
    tasks: z.array(
      z.object({
        id: z.string(),
        function: z.string(),
        status: z.string(),
        runAt: z.string().nullable(),
        finishedAt: z.string().nullable(),
        failures: z.int(),
        error: z.string().nullable(),
      }),
    ),
  }),
  handler: async (call) => ok({ tasks: await listTasks((await appOf(call)).taskQueue) }),
})
