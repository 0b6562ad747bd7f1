import type { Grantee } from '../../parts/grantees/grantees.ts'

export const OPERATIONS = ['create', 'find', 'get', 'update', 'delete', 'addField'] as const
export type Operation = (typeof OPERATIONS)[number]

/** A class permission, as represented by the management API. */
export type Permission =
  | 'public'
  | 'users'
  | 'master'
  | { readonly users: readonly string[]; readonly roles: readonly string[] }

export const WHO = ['public', 'users', 'chosen', 'master'] as const
export type Who = (typeof WHO)[number]

export function whoOf(permission: Permission): Who {
  return typeof permission === 'string' ? permission : 'chosen'
}

export function granteesOf(permission: Permission): Grantee[] {
  if (typeof permission === 'string') return []
  return [
    ...permission.roles.map((name): Grantee => `role:${name}`),
    ...permission.users.map((id): Grantee => `user:${id}`),
  ]
}

export function permissionFor(grantees: readonly Grantee[]): Permission {
  const named = (kind: string) => grantees.filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length))
  return { users: named('user:'), roles: named('role:') }
}

/** Returns the risk of a choice that users should know about; null: none. */
export function riskOf(
  className: string,
  operation: Operation,
  permission: Permission,
): 'delete' | 'update' | 'addField' | 'users' | 'ownProfile' | null {
  if (className === '_User' && operation === 'update')
    return permission === 'public' || permission === 'users' ? null : 'ownProfile'
  if (permission !== 'public') return null
  if (operation === 'delete' || operation === 'update' || operation === 'addField') return operation
  return className === '_User' && operation === 'find' ? 'users' : null
}
