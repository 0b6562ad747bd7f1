import { acceptRequest, declineRequest, requestFriendship } from '../../../social/friendship/friendship-requests.ts'
import { checkObjectId } from '../../../values/names.ts'
import { ok } from '../../call.ts'
import { typedFields } from '../../request-fields.ts'
import { type Route, route } from '../../route.ts'

const PATH = '/1.1/users/friendshipRequests'
const TYPES = { user: 'json', friend: 'json', friendship: 'json' } as const

/** Friend requests and the responses to them (protocol/social, Friend requests). */
export const friendshipRequests: readonly Route[] = [
  route({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: async ({ app, parameters, caller }) =>
      ok(await requestFriendship(app.friendship, typedFields(parameters, TYPES), caller)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:requestId/accept`,
    rate: 'writes',
    handler: async ({ app, params, parameters, caller }) =>
      ok(await acceptRequest(app.friendship, checkObjectId(params.requestId), typedFields(parameters, TYPES), caller)),
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:requestId/decline`,
    rate: 'writes',
    handler: async ({ app, params, caller }) =>
      ok(await declineRequest(app.friendship, checkObjectId(params.requestId), caller)),
  }),
]
