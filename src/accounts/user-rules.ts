import { errors } from '../errors.ts'
import type { Caller } from '../objects/caller.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'

/** What proves who a user is. It never becomes part of an object, where queries could read it. */
const SECRETS = ['password', 'salt', 'sessionToken']

/** What `_User` does differently: only the user itself, or the master key, writes a user, whatever its ACL says. */
export const userRules: ClassRules = {
  create: withoutSecrets,
  update: withoutSecrets,
  write: checkOwner,
  missing: errors.userNotFound,
}

/** @throws ApiError 206 unless the caller is this user or has the master key (spec/rest-details, 9.5) */
export function checkOwner(id: string, caller: Caller): void {
  if (!caller.master && caller.userId !== id) throw errors.userWithoutSession()
}

/** The last door: accounts take these out of every body before it becomes an object. */
function withoutSecrets(changes: Changes): Changes {
  const key = changes.keys.find((name) => SECRETS.includes(name))
  if (key !== undefined) throw errors.notAllowedForClients(`'${key}' of a user cannot be set here.`)
  return changes
}
