import { followeesOf } from '../../../social/friendship/lists.ts'
import { route } from '../../route.ts'
import { listAnswer } from '../../social/list-answer.ts'

/** GET /1.1/users/:objectId/followees — whom a user follows (protocol/social, Lists). */
export const followees = route('GET', '/1.1/users/:objectId/followees', (call) => listAnswer(call, followeesOf))
