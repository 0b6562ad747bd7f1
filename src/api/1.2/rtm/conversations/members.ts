import { addMembers } from '../../../../messaging/members/add-members.ts'
import { listMembers } from '../../../../messaging/members/conversation-members.ts'
import { removeMembers } from '../../../../messaging/members/remove-members.ts'
import type { Parameters } from '../../../../objects/query-parameters.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute, throwFailure } from '../../../messaging/conversation-route.ts'
import { requiredClients } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Members of a conversation (protocol/messaging, One-on-one and group conversations). */
export const members: readonly Route[] = [
  conversationRoute('normal', {
    method: 'POST',
    path: '/members',
    rate: 'writes',
    handler: (call, convId) => changeMembers(call, convId, call.parameters, addMembers),
  }),
  conversationRoute('normal', {
    method: 'DELETE',
    path: '/members',
    rate: 'writes',
    handler: (call, convId) => changeMembers(call, convId, call.parameters, removeMembers),
  }),
  conversationRoute('normal', {
    method: 'GET',
    path: '/members',
    rate: 'queries',
    adminReadable: true,
    handler: async ({ app }, convId) => ok({ result: await listMembers(app.messaging, convId) }),
  }),
]

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
