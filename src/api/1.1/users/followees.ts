import { followeesOf } from '../../../social/friendship/lists.ts'
import { route } from '../../route.ts'
import { listAnswer } from '../../social/list-answer.ts'

/** GET /1.1/users/:objectId/followees — returns the users that a user follows (protocol/social, Lists). */
export const followees = route({
  method: 'GET',
  path: '/1.1/users/:objectId/followees',
  rate: 'queries',
  adminReadable: true,
  handler: (call) => listAnswer(call, followeesOf),
})
