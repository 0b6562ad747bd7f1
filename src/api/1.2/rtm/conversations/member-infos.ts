import { errors } from '../../../../errors.ts'
import { holderOfRole, listRoles } from '../../../../messaging/members/role-listing.ts'
import { giveRole, removeRole } from '../../../../messaging/members/roles.ts'
import { pageSize } from '../../../../objects/query-parameters.ts'
import { type Answer, type Call, ok } from '../../../call.ts'
import { conversationRoute } from '../../../messaging/conversation-route.ts'
import { numberIn, requiredClient, requiredText, textIn } from '../../../request-fields.ts'
import type { Route } from '../../../route.ts'

/** Returns the routes of the roles of clients in a conversation, each an object with an id (protocol/messaging, Member info). */
export function roleRoutes(kind: 'normal' | 'room'): Route[] {
  return [
    conversationRoute(kind, {
      method: 'POST',
      path: '/member-infos',
      rate: 'writes',
      handler: async ({ app, parameters }, convId) => {
        const clientId = requiredClient(parameters, 'clientId')
        const { infoId, updatedAt } = await giveRole(
          app.messaging,
          null,
          convId,
          clientId,
          requiredText(parameters, 'role'),
        )
        return ok({ updatedAt, objectId: infoId })
      },
    }),
    conversationRoute(kind, { method: 'PUT', path: '/member-infos/:infoId', rate: 'writes', handler: change }),
    conversationRoute(kind, {
      method: 'DELETE',
      path: '/member-infos/:infoId',
      rate: 'writes',
      handler: async ({ app, params }, convId) => {
        if (!(await removeRole(app.messaging, convId, params.infoId!))) throw noSuchInfo(params.infoId!)
        return ok({})
      },
    }),
    conversationRoute(kind, {
      method: 'GET',
      path: '/member-infos',
      rate: 'queries',
      adminReadable: true,
      handler: async ({ app, parameters }, convId) => {
        const roles = await listRoles(app.messaging, convId, {
          skip: numberIn(parameters, 'skip') ?? 0,
          limit: pageSize(parameters.limit),
          role: textIn(parameters, 'role'),
        })
        return ok({ results: roles.map(({ objectId, clientId, role }) => ({ objectId, clientId, role })) })
      },
    }),
  ]
}

/** Changes a role. Without `role` it stays unchanged; its client cannot be changed. */
async function change({ app, params, parameters }: Call, convId: string): Promise<Answer> {
  const infoId = params.infoId!
  const clientId = requiredClient(parameters, 'clientId')
  const holder = await holderOfRole(app.messaging, convId, infoId)
  if (!holder) throw noSuchInfo(infoId)
  if (holder.clientId !== clientId)
    throw errors.badArgument(`'clientId' must be '${holder.clientId}', the client of this member info.`)
  const role = textIn(parameters, 'role') ?? holder.role
  const { updatedAt } = await giveRole(app.messaging, null, convId, clientId, role)
  return ok({ updatedAt, objectId: infoId })
}

function noSuchInfo(infoId: string) {
  return errors.notFound(`Member info '${infoId.slice(0, 80)}' not found in this conversation.`)
}
