import { blockUser, unblockUser } from '../../../../social/friendship/blocks.ts'
import { actingUser } from '../../../../social/friendship/caller-user.ts'
import { blockedBy } from '../../../../social/friendship/lists.ts'
import { checkObjectId } from '../../../../values/names.ts'
import { type Call, ok } from '../../../call.ts'
import { type Route, route } from '../../../route.ts'
import { listAnswer } from '../../../social/list-answer.ts'

const PATH = '/1.1/users/self/friendBlocklist'

/** The block list of the session's user (protocol/social, Block list). */
export const friendBlocklist: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    rate: 'queries',
    adminReadable: true,
    handler: (call) => listAnswer(call, blockedBy),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:objectId`,
    rate: 'writes',
    handler: async (call) => {
      await blockUser(call.app.friendship, ...pairOf(call), call.caller)
      return ok({})
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:objectId`,
    rate: 'writes',
    handler: async (call) => {
      await unblockUser(call.app.friendship, ...pairOf(call), call.caller)
      return ok({})
    },
  }),
]

function pairOf({ params, caller }: Call): [userId: string, otherId: string] {
  return [actingUser('self', caller), checkObjectId(params.objectId)]
}
