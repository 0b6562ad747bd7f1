import { subscribe } from '../../../live-query/subscribe.ts'
import { ANONYMOUS, type Caller } from '../../../objects/caller.ts'
import { isJsonObject } from '../../../values/json.ts'
import { type Call, ok } from '../../call.ts'
import { route } from '../../route.ts'

/** POST /1.1/LiveQuery/subscribe — tells a subscriber from now on what becomes of a query (spec/realtime-protocol, 7.3). */
export const subscribeLiveQuery = route('POST', '/1.1/LiveQuery/subscribe', async (call) =>
  ok({ query_id: await subscribe(call.app.liveQueries, call.body, await subscriberOf(call)) }),
)

/** Whose permissions count: those of the session of the request, else of the one in the body. */
async function subscriberOf({ app, caller, body }: Call): Promise<Caller> {
  const token = isJsonObject(body) ? body.sessionToken : undefined
  const userId =
    caller.userId ?? (typeof token === 'string' && token ? await app.accounts.sessions.userOf(token) : null)
  if (userId === null) return ANONYMOUS
  const roles = await app.roles.of(userId)
  return { master: false, userId, grants: [userId, ...roles.map((role) => `role:${role}`)] }
}
