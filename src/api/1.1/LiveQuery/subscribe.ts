import { subscribe } from '../../../live-query/subscribe.ts'
import { ANONYMOUS, type Caller } from '../../../objects/access/caller.ts'
import { type Call, ok } from '../../call.ts'
import { typedFields } from '../../request-fields.ts'
import { route } from '../../route.ts'

/** POST /1.1/LiveQuery/subscribe — subscribes a client to the changes of a query (protocol/realtime, HTTP). */
export const subscribeLiveQuery = route({
  method: 'POST',
  path: '/1.1/LiveQuery/subscribe',
  rate: 'subscriptions',
  handler: async (call) => {
    const { caller, session } = await subscriberOf(call)
    const body = typedFields(call.parameters, { query: 'json' })
    const { id, queryId } = await subscribe(call.app.liveQueries, body, caller, session)
    return ok({ id, query_id: queryId })
  },
})

/** Returns the caller whose permissions apply: the session of the request, else the one in the body. */
async function subscriberOf({ app, caller, session, parameters }: Call): Promise<{ caller: Caller; session?: string }> {
  const token = caller.userId === null ? parameters.sessionToken : session
  if (typeof token !== 'string' || token === '') return { caller: ANONYMOUS }
  const userId = caller.userId ?? (await app.accounts.sessions.userOf(token))
  if (userId === null) return { caller: ANONYMOUS }
  const roles = await app.roles.of(userId)
  const grants = [userId, ...roles.map((role) => `role:${role}`)]
  return { caller: { master: false, userId, grants }, session: token }
}
