import type { Permission } from '../../objects/access/permissions.ts'
import { isJsonObject, type JsonObject, member } from '../../values/json.ts'

/** Returns whether a permission grants access only to callers that another one grants it to. */
export function isPermissionWithin(one: Permission, other: Permission): boolean {
  if (other === 'public' || one === 'master') return true
  if (one === 'public') return false
  if (other === 'users') return true
  const [users, roles] = one === 'users' ? [null, null] : [one.users, one.roles]
  // An empty list grants access to no client, like `master`.
  if (other === 'master') return users !== null && users.length === 0 && roles.length === 0
  return users !== null && isPartOf(users, other.users) && isPartOf(roles, other.roles)
}

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one))
}

/** Returns whether an ACL only grants rights that another one grants too. Public rights include those of each user. */
export function isAclWithin(one: JsonObject, other: JsonObject): boolean {
  return Object.entries(one).every(([grantee, granted]) =>
    (['read', 'write'] as const).every(
      (right) => !isGranted(granted, right) || isGranted(other['*'], right) || isGranted(member(other, grantee), right),
    ),
  )
}

function isGranted(granted: unknown, right: 'read' | 'write'): boolean {
  return isJsonObject(granted as JsonObject) && (granted as JsonObject)[right] === true
}
