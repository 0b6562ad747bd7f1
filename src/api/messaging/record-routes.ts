import { updateConversation } from '../../messaging/conversations/conversation-changes.ts'
import { createConversation, type NewConversation } from '../../messaging/conversations/create-conversation.ts'
import { deleteConversation } from '../../messaging/conversations/delete-conversation.ts'
import { listConversations } from '../../messaging/conversations/find-conversations.ts'
import { messagingErrors } from '../../messaging/messaging-errors.ts'
import { findOfKind } from '../../messaging/records/conversation-state.ts'
import { type Parameters, pageSize, parseWhereParameter } from '../../objects/query-parameters.ts'
import { withFileIdsIn } from '../../values/file-references.ts'
import type { JsonObject } from '../../values/json.ts'
import { type Answer, type Call, created, ok } from '../call.ts'
import { asTextual, parametersOf } from '../parameters.ts'
import { fieldsOf, numberIn, typedFields } from '../request-fields.ts'
import { masterRoute, type Route } from '../route.ts'
import { conversationRoute, type Kind, ROOTS } from './conversation-route.ts'

/**
 * Returns the routes that create, list, update and delete conversations of a kind (protocol/messaging, One-on-one and
 * group conversations).
 * @param wantedOf returns the new conversation that a body describes
 * @param shown returns the members of a new conversation for the response
 */
export function recordRoutes(
  kind: Kind,
  wantedOf: (fields: JsonObject) => NewConversation,
  shown: (record: JsonObject) => JsonObject,
): Route[] {
  return [
    masterRoute({
      method: 'POST',
      path: ROOTS[kind],
      rate: 'writes',
      handler: async ({ app, query, body }) => {
        const wanted = wantedOf(typedFields(parametersOf(namedIn(query), body), { m: 'list' }))
        const { id, record, existing } = await createConversation(app.messaging, null, wanted)
        const conversation = withFileIdsIn(shown(record))
        return existing ? ok(conversation) : created('_Conversation', id, conversation)
      },
    }),
    masterRoute({
      method: 'GET',
      path: ROOTS[kind],
      rate: 'queries',
      adminReadable: true,
      handler: (call) => list(call, kind),
    }),
    conversationRoute(kind, {
      method: 'PUT',
      path: '',
      rate: 'writes',
      handler: async ({ app, body }, convId) => {
        const { updatedAt } = await updateConversation(app.messaging, null, convId, fieldsOf(body))
        return ok({ updatedAt, objectId: convId })
      },
    }),
    masterRoute({
      method: 'DELETE',
      path: `${ROOTS[kind]}/:convId`,
      rate: 'writes',
      handler: (call) => remove(call, kind),
    }),
  ]
}

/** Returns the parameters of a new conversation in the URL, without attributes of other names, which only the body may have. */
function namedIn({ name, m, unique }: Parameters): Parameters {
  return asTextual({ name, m, unique })
}

/** Lists conversations of a kind, or of all kinds (protocol/messaging, Global operations). */
export async function list({ app, parameters, caller }: Call, kind: Kind | null): Promise<Answer> {
  const listing = {
    where: parseWhereParameter(parameters.where),
    skip: numberIn(parameters, 'skip') ?? 0,
    limit: pageSize(parameters.limit),
  }
  const results = await listConversations(app.messaging, kind, listing, caller.origin?.principal)
  return ok({ results })
}

/** Deletes a conversation, and the remains of an earlier interrupted deletion even if the conversation no longer exists. */
async function remove({ app, params }: Call, kind: Kind): Promise<Answer> {
  const convId = params.convId!
  const found = await app.messaging.conversations.find(convId)
  if (found) await findOfKind(app.messaging, convId, kind)
  await deleteConversation(app.messaging, convId)
  if (!found) throw messagingErrors.conversationNotFound(convId)
  return ok({})
}
