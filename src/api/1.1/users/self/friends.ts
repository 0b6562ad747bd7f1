import { friendsOf } from '../../../../social/friendship/lists.ts'
import { route } from '../../../route.ts'
import { listAnswer } from '../../../social/list-answer.ts'

/** GET /1.1/users/self/friends — returns the friends of the session's user (protocol/social, Lists). */
export const friends = route({
  method: 'GET',
  path: '/1.1/users/self/friends',
  rate: 'queries',
  adminReadable: true,
  handler: (call) => listAnswer(call, friendsOf),
})
