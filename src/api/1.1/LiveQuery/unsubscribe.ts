import { unsubscribe } from '../../../live-query/subscribe.ts'
import { ok } from '../../call.ts'
import { route } from '../../route.ts'

/**
 * POST /1.1/LiveQuery/unsubscribe — ends a subscription (protocol/realtime, HTTP). Old clients for .NET append the id
 * of the subscriber to the path, and send it in the body, too.
 */
export const unsubscribeLiveQuery = ['/1.1/LiveQuery/unsubscribe', '/1.1/LiveQuery/unsubscribe/:id'].map((path) =>
  route({
    method: 'POST',
    path,
    rate: 'writes',
    handler: async ({ app, parameters }) => {
      await unsubscribe(app.liveQueries, parameters)
      return ok({})
    },
  }),
)
