import { actingUser } from '../../../social/friendship/caller-user.ts'
import { changeFollow, followUser, unfollowUser } from '../../../social/friendship/follow.ts'
import { checkObjectId } from '../../../values/names.ts'
import { type Call, ok } from '../../call.ts'
import { type Route, route } from '../../route.ts'

const PATH = '/1.1/users/:objectId/friendship/:targetId'

/** Follows between users, with attributes in the body (protocol/social, Friendship). */
export const friendship: readonly Route[] = [
  route({
    method: 'POST',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      await followUser(call.app.friendship, ...pairOf(call), call.body, call.caller)
      return ok({})
    },
  }),
  route({
    method: 'PUT',
    path: PATH,
    rate: 'writes',
    handler: async (call) => ok(await changeFollow(call.app.friendship, ...pairOf(call), call.body, call.caller)),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    rate: 'writes',
    handler: async (call) => {
      await unfollowUser(call.app.friendship, ...pairOf(call), call.caller)
      return ok({})
    },
  }),
]

function pairOf({ params, caller }: Call): [userId: string, otherId: string] {
  return [actingUser(params.objectId, caller), checkObjectId(params.targetId)]
}
