import { errors } from '../../../errors.ts'
import { MEMBER_INFO } from '../../../messaging/conversation-class.ts'
import { MASTER } from '../../../objects/caller.ts'
import { findObjects } from '../../../objects/find.ts'
import { type Parameters, parseFindQuery } from '../../../objects/query-parameters.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../values/json.ts'
import { JsonText, ok } from '../../call.ts'
import { route } from '../../route.ts'
import { findInClass } from '../classes.ts'
import { callingClient } from '../rtm/client.ts'

/**
 * GET /1.1/classes/_ConversationMemberInfo — the roles in a conversation, for clients of messaging
 * (spec/realtime-protocol, 10.4). Without the token of one, it is a class like any other.
 */
export const memberInfos = route('GET', `/1.1/classes/${MEMBER_INFO}`, async (call) => {
  if (call.clientToken === undefined) return findInClass(call, MEMBER_INFO)
  await callingClient(call)
  const query = parseFindQuery({ ...call.query, where: conditionOf(call.query) })
  const { results } = await findObjects(call.app.objects, MEMBER_INFO, query, MASTER)
  return ok(new JsonText(`{"results":[${results.join(',')}]}`))
})

/** Clients ask about one conversation. The member they call `peerId` is `clientId` in the class. */
function conditionOf({ where, cid }: Parameters): JsonObject {
  const given: unknown = typeof where === 'string' ? parseJson(where, "The parameter 'where'") : where
  const { peerId, ...condition }: { [key: string]: Json } = isJsonObject(given) ? given : { cid: cid ?? null }
  if (typeof condition.cid !== 'string') throw errors.invalidQuery("The condition must name a conversation by 'cid'.")
  return peerId === undefined ? condition : { ...condition, clientId: peerId }
}
