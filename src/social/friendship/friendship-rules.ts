import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Changes } from '../../objects/operations/operation.ts'
import type { ClassRules } from '../../objects/store.ts'
import { FOLLOWEE, FOLLOWER, REQUEST } from './friendship.ts'

/** Endpoints where clients create objects of the classes that belong to two users. */
const MADE_BY = {
  [FOLLOWEE]: 'POST /1.1/users/self/friendship/:objectId',
  [FOLLOWER]: 'POST /1.1/users/self/friendship/:objectId',
  [REQUEST]: 'POST /1.1/users/friendshipRequests',
} as const

/** The special rules of these classes: a client cannot create a follow or a request in the name of another user. */
export const friendshipRules: readonly (readonly [string, ClassRules])[] = Object.entries(MADE_BY).map(
  ([className, endpoint]) => [
    className,
    {
      create(changes: Changes, caller: Caller): Changes {
        if (!caller.master) throw errors.notAllowedForClients(`Create objects of ${className} with ${endpoint}.`)
        return changes
      },
    },
  ],
)
