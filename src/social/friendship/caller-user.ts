import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkObjectId } from '../../values/names.ts'

/** How paths name the user of the session. */
const SELF = 'self'

/** The user that a path names. @throws ApiError 104, 206 for `self` without a session */
export function userOfPath(name: unknown, caller: Caller): string {
  if (name !== SELF) return checkObjectId(name)
  if (caller.userId === null) throw errors.userWithoutSession()
  return caller.userId
}

/** The user that a path names, for whom the caller may act. @throws ApiError 104, 206 */
export function actingUser(name: unknown, caller: Caller): string {
  const userId = userOfPath(name, caller)
  if (!caller.master && caller.userId !== userId) throw errors.userWithoutSession()
  return userId
}
