import { errors } from '../../../errors.ts'
import { mayKnowRoles } from '../../../messaging/members/role-listing.ts'
import { checkClientCondition, checkClientOrder } from '../../../messaging/records/client-condition.ts'
import { MEMBER_INFO } from '../../../messaging/records/conversation-class.ts'
import { MASTER } from '../../../objects/access/caller.ts'
import { type Parameters, parseFindQuery } from '../../../objects/query-parameters.ts'
import { findObjects } from '../../../objects/reading/find.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../values/json.ts'
import { ok, resultsText } from '../../call.ts'
import { callingClient } from '../../messaging/calling-client.ts'
import { route } from '../../route.ts'
import { findInClass } from '../classes.ts'

/**
 * GET /1.1/classes/_ConversationMemberInfo — returns the roles in a conversation to clients of messaging
 * (protocol/realtime, REST calls made by realtime clients); those of private conversations only to members. Without a
 * client token, it is a class like any other.
 */
export const memberInfos = route({
  method: 'GET',
  path: `/1.1/classes/${MEMBER_INFO}`,
  rate: 'queries',
  adminReadable: true,
  handler: async (call) => {
    if (call.clientToken === undefined) return findInClass(call, MEMBER_INFO)
    const { objects, messaging } = call.app
    const clientId = await callingClient(call)
    const condition = conditionOf(call.parameters)
    const query = parseFindQuery({ ...call.parameters, include: undefined, where: condition })
    checkClientCondition(objects.classes.get(MEMBER_INFO)!, query.where!)
    checkClientOrder(objects.classes.get(MEMBER_INFO)!, query.order)
    if (!(await mayKnowRoles(messaging, clientId, String(condition.cid)))) return ok({ results: [] })
    const { results } = await findObjects(objects, MEMBER_INFO, query, MASTER)
    return ok(resultsText(results))
  },
})

/** Returns the condition. Clients query one conversation, and call the member `peerId` that is `clientId` in the class. */
function conditionOf({ where, cid }: Parameters): JsonObject {
  const given: unknown = typeof where === 'string' ? parseJson(where, "The parameter 'where'") : where
  const { peerId, ...condition }: { [key: string]: Json } = isJsonObject(given) ? given : { cid: cid ?? null }
  if (typeof condition.cid !== 'string')
    throw errors.invalidQuery("The condition must contain 'cid', the id of a conversation.")
  return peerId === undefined ? condition : { ...condition, clientId: peerId }
}
