import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkObjectId } from '../../values/names.ts'

/** Name of the session's user in paths. */
const SELF = 'self'

/** Returns the user in a path. @throws ApiError 104, 206 for `self` without a session */
export function userOfPath(name: unknown, caller: Caller): string {
  if (name !== SELF) return checkObjectId(name)
  if (caller.userId === null) throw errors.userWithoutSession()
  return caller.userId
}

/** Returns the user in a path if the caller may act for it. @throws ApiError 104, 206 */
export function actingUser(name: unknown, caller: Caller): string {
  const userId = userOfPath(name, caller)
  if (!caller.master && caller.userId !== userId) throw errors.userWithoutSession()
  return userId
}
