import { errors } from '../../errors.ts'
import { cancelScheduled, listScheduled } from '../../push/delivery/scheduled.ts'
import { ok } from '../call.ts'
import { masterRoute, type Route } from '../route.ts'

/** Scheduled pushes (protocol/push, Scheduled pushes). */
export const scheduledPushMessages: readonly Route[] = [
  masterRoute({
    method: 'GET',
    path: '/1.1/scheduledPushMessages',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }) => ok({ results: await listScheduled(app.push) }),
  }),
  masterRoute({
    method: 'DELETE',
    path: '/1.1/scheduledPushMessages/:id',
    rate: 'writes',
    handler: async ({ app, params }) => {
      const id = params.id!
      if (!/^\d{1,15}$/.test(id) || !(await cancelScheduled(app.push, Number(id))))
        throw errors.notFound(`Scheduled push '${id.slice(0, 60)}' not found.`)
      return ok({})
    },
  }),
]
