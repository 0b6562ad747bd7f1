import { followersOf } from '../../../social/friendship/lists.ts'
import { route } from '../../route.ts'
import { listAnswer } from '../../social/list-answer.ts'

/** GET /1.1/users/:objectId/followers — returns the followers of a user (protocol/social, Lists). */
export const followers = route({
  method: 'GET',
  path: '/1.1/users/:objectId/followers',
  rate: 'queries',
  adminReadable: true,
  handler: (call) => listAnswer(call, followersOf),
})
