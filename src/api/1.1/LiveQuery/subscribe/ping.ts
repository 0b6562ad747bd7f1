import { errors } from '../../../../errors.ts'
import { renew } from '../../../../live-query/subscribe.ts'
import { ok } from '../../../call.ts'
import { route } from '../../../route.ts'

/** POST /1.1/LiveQuery/subscribe/ping — extends a subscription (protocol/realtime, HTTP). */
export const pingLiveQuery = route({
  method: 'POST',
  path: '/1.1/LiveQuery/subscribe/ping',
  rate: 'writes',
  handler: async ({ app, parameters }) => {
    if (await renew(app.liveQueries, parameters)) return ok({})
    throw errors.notFound('The live query has expired. Subscribe again.')
  },
})
