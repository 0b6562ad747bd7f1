import { acceptRequest, declineRequest, requestFriendship } from '../../../social/friendship/friendship-requests.ts'
import { checkObjectId } from '../../../values/names.ts'
import { ok } from '../../call.ts'
import { type Route, route } from '../../route.ts'

const PATH = '/1.1/users/friendshipRequests'

/** Who asks whom to be friends, and what comes of it (protocol/social, Friend requests). */
export const friendshipRequests: readonly Route[] = [
  route('POST', PATH, async ({ app, body, caller }) => ok(await requestFriendship(app.friendship, body, caller))),
  route('PUT', `${PATH}/:requestId/accept`, async ({ app, params, body, caller }) =>
    ok(await acceptRequest(app.friendship, checkObjectId(params.requestId), body, caller)),
  ),
  route('PUT', `${PATH}/:requestId/decline`, async ({ app, params, caller }) =>
    ok(await declineRequest(app.friendship, checkObjectId(params.requestId), caller)),
  ),
]
