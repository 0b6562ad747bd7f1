import type { NewConversation } from '../../../messaging/conversations/create-conversation.ts'
import { listMuters, muteClients } from '../../../messaging/conversations/mutes.ts'
import { addMembers } from '../../../messaging/members/add-members.ts'
import { listMembers } from '../../../messaging/members/conversation-members.ts'
import { removeMembers } from '../../../messaging/members/remove-members.ts'
import type { Parameters } from '../../../objects/query-parameters.ts'
import type { JsonObject } from '../../../values/json.ts'
import { type Answer, type Call, ok } from '../../call.ts'
import type { Route } from '../../route.ts'
import { blacklistRoutes } from './blacklist-routes.ts'
import { conversationRoute, throwFailure } from './conversation-route.ts'
import { messageRoutes } from './message-routes.ts'
import { recordRoutes } from './record-routes.ts'
import { clientsIn, deletionFields, fieldsOf, flagIn, requiredClients } from './request-fields.ts'
import { roleRoutes } from './role-routes.ts'
import { silenceRoutes } from './silence-routes.ts'

/** One-on-one and group conversations (protocol/messaging, One-on-one and group conversations). */
export const conversations: readonly Route[] = [
  ...recordRoutes('normal', wantedOf, (record) => record),
  conversationRoute('normal', 'POST', '/members', (call, convId) =>
    changeMembers(call, convId, fieldsOf(call.body), addMembers),
  ),
  conversationRoute('normal', 'DELETE', '/members', (call, convId) =>
    changeMembers(call, convId, deletionFields(call), removeMembers),
  ),
  conversationRoute('normal', 'GET', '/members', async ({ app }, convId) =>
    ok({ result: await listMembers(app.messaging, convId) }),
  ),
  conversationRoute('normal', 'POST', '/mutes', (call, convId) => mute(call, convId, fieldsOf(call.body), true)),
  conversationRoute('normal', 'DELETE', '/mutes', (call, convId) => mute(call, convId, deletionFields(call), false)),
  conversationRoute('normal', 'GET', '/mutes', async ({ app }, convId) =>
    ok({ result: await listMuters(app.messaging, convId) }),
  ),
  ...messageRoutes('normal'),
  ...silenceRoutes('normal'),
  ...roleRoutes('normal'),
  ...blacklistRoutes('normal'),
]

function wantedOf(fields: JsonObject): NewConversation {
  const { m: _, unique: __, ...attributes } = fields
  return { kind: 'normal', members: clientsIn(fields, 'm'), unique: flagIn(fields, 'unique'), attributes }
}

async function changeMembers(
  { app }: Call,
  convId: string,
  fields: Parameters,
  change: typeof addMembers | typeof removeMembers,
): Promise<Answer> {
  const { failed, updatedAt } = await change(app.messaging, null, convId, requiredClients(fields, 'client_ids'))
  throwFailure(failed)
  return ok({ updatedAt, objectId: convId })
}

async function mute({ app }: Call, convId: string, fields: Parameters, muted: boolean): Promise<Answer> {
  const { updatedAt } = await muteClients(app.messaging, convId, requiredClients(fields, 'client_ids'), muted)
  return ok({ updatedAt, objectId: convId })
}
