import { mutualFolloweesOf } from '../../../social/friendship/lists.ts'
import { route } from '../../route.ts'
import { listAnswer } from '../../social/list-answer.ts'

/**
 * GET /1.1/users/:objectId/mutualFollowees — returns the users that a user follows and is followed by (protocol/social,
 * Lists).
 */
export const mutualFollowees = route({
  method: 'GET',
  path: '/1.1/users/:objectId/mutualFollowees',
  rate: 'queries',
  adminReadable: true,
  handler: (call) => listAnswer(call, mutualFolloweesOf),
})
