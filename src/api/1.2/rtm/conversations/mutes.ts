import { listMuters, muteClients } from '../../../../messaging/conversations/mutes.ts'
import type { Parameters } from '../../../../objects/query-parameters.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { requiredClients } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Members that have muted push notifications (protocol/messaging, One-on-one and group conversations). */
export const mutes: readonly Route[] = [
  conversationRoute('normal', {
    method: 'POST',
    path: '/mutes',
    rate: 'writes',
    handler: (call, convId) => mute(call, convId, call.parameters, true),
  }),
  conversationRoute('normal', {
    method: 'DELETE',
    path: '/mutes',
    rate: 'writes',
    handler: (call, convId) => mute(call, convId, call.parameters, false),
  }),
  conversationRoute('normal', {
    method: 'GET',
    path: '/mutes',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }, convId) => ok({ result: await listMuters(app.messaging, convId) }),
  }),
]

async function mute({ app }: Call, convId: string, fields: Parameters, muted: boolean): Promise<Answer> {
  const { updatedAt } = await muteClients(app.messaging, convId, requiredClients(fields, 'client_ids'), muted)
  return ok({ updatedAt, objectId: convId })
}
