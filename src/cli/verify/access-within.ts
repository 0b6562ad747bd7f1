import type { Permission } from '../../objects/access/permissions.ts'
import { isJsonObject, type JsonObject, member } from '../../values/json.ts'

/** Whether nobody is let in by a permission whom another one keeps out. */
export function isPermissionWithin(one: Permission, other: Permission): boolean {
  if (other === 'public' || one === 'master') return true
  if (one === 'public') return false
  if (other === 'users') return true
  const [users, roles] = one === 'users' ? [null, null] : [one.users, one.roles]
  // An empty list lets nobody in, as `master` does.
  if (other === 'master') return users !== null && users.length === 0 && roles.length === 0
  return users !== null && isPartOf(users, other.users) && isPartOf(roles, other.roles)
}

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one))
}

/** Whether nobody may read or write by an ACL who may not by another one. What everybody may is nobody's alone. */
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
