import { ApiError, errors } from '../errors.ts'
import type { Caller } from '../objects/caller.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'

/** What proves who a user is. It never becomes part of an object, where queries could read it. */
const CREDENTIALS = ['password', 'salt', 'sessionToken', 'authData']

/** What `_User` does differently: only the user itself, or the master key, writes a user, whatever its ACL says. */
export const userRules: ClassRules = {
  create(changes: Changes, caller: Caller): Changes {
    if (!caller.master) throw new ApiError(400, 207, 'Users can only be created through sign up.')
    checkNoCredentials(changes)
    return changes
  },
  update(changes: Changes, id: string, caller: Caller): void {
    checkOwner(id, caller)
    checkNoCredentials(changes)
  },
  delete: checkOwner,
  missing: errors.userNotFound,
}

function checkOwner(id: string, caller: Caller): void {
  if (!caller.master && caller.userId !== id) throw errors.userWithoutSession()
}

function checkNoCredentials(changes: Changes): void {
  const key = changes.keys.find((name) => CREDENTIALS.includes(name))
  if (key !== undefined) throw errors.notAllowedForClients(`'${key}' of a user cannot be set here.`)
}
