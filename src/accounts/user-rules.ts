import { ApiError, errors } from '../errors.ts'
import type { Caller } from '../objects/caller.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'

/** What `_User` does differently: only the user itself, or the master key, writes a user, whatever its ACL says. */
export const userRules: ClassRules = {
  create(changes: Changes, caller: Caller): Changes {
    if (!caller.master) throw new ApiError(400, 207, 'Users can only be created through sign up.')
    return changes
  },
  update: checkOwner,
  delete: (id, caller) => checkOwner(null, id, caller),
  missing: errors.userNotFound,
}

function checkOwner(_changes: Changes | null, id: string, caller: Caller): void {
  if (!caller.master && caller.userId !== id) throw errors.userWithoutSession()
}
