import { unsubscribe } from '../../../live-query/subscribe.ts'
import { ok } from '../../call.ts'
import { route } from '../../route.ts'

/** POST /1.1/LiveQuery/unsubscribe — ends a subscription (protocol/realtime, HTTP). */
export const unsubscribeLiveQuery = route('POST', '/1.1/LiveQuery/unsubscribe', async ({ app, body }) => {
  await unsubscribe(app.liveQueries, body)
  return ok({})
})
