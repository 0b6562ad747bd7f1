import { friendsOf } from '../../../../social/friendship/lists.ts'
import { route } from '../../../route.ts'
import { listAnswer } from '../../../social/list-answer.ts'

/** GET /1.1/users/self/friends — the friends of the session's user (protocol/social, Lists). */
export const friends = route('GET', '/1.1/users/self/friends', (call) => listAnswer(call, friendsOf))
