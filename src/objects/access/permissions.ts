import { errors } from '../../errors.ts'
import type { Caller } from './caller.ts'

export type ClassOperation = 'create' | 'find' | 'get' | 'update' | 'delete' | 'addField'

/**
 * The callers that may perform an operation on a class (docs/architecture.md, Management; protocol/storage, Class permissions).
 */
export type Permission =
  | 'public'
  | 'users'
  | 'master'
  | { readonly users: readonly string[]; readonly roles: readonly string[] }

export type ClassPermissions = { readonly [operation in ClassOperation]?: Permission }

export const CLASS_OPERATIONS: readonly ClassOperation[] = ['create', 'find', 'get', 'update', 'delete', 'addField']

const CLOSED: { readonly [className: string]: ClassPermissions } = {
  _User: { find: 'master' },
  _Installation: { find: 'master', delete: 'master' },
  _File: { delete: 'master' },
  // Members and messages depend on fields of a conversation; clients change it over the realtime protocol.
  _Conversation: { create: 'master', update: 'master', delete: 'master' },
  _ConversationMemberInfo: closed(),
  _SysMessage: closed(),
  // Written only by its own endpoints; read by the user it belongs to.
  _Blocklist: { create: 'master', update: 'master', delete: 'master', addField: 'master' },
}

/**
 * Operations closed to clients until the administrator opens them (protocol/storage, Class permissions). A map rather than an
 * object, because a class may be called `constructor`.
 */
export const DEFAULT_PERMISSIONS: ReadonlyMap<string, ClassPermissions> = new Map(Object.entries(CLOSED))

function closed(): ClassPermissions {
  return Object.fromEntries(CLASS_OPERATIONS.map((operation) => [operation, 'master']))
}

/** Checks that a caller may perform an operation on a class. @throws ApiError 403 */
export function checkPermission(
  className: string,
  permissions: ClassPermissions,
  operation: ClassOperation,
  caller: Caller,
): void {
  if (mayDo(permissions, operation, caller)) return
  throw operation === 'addField' ? errors.newFieldForbidden(className) : errors.classForbidden(operation, className)
}

/** Returns whether the operation on the class is open to the caller. */
export function mayDo(permissions: ClassPermissions, operation: ClassOperation, caller: Caller): boolean {
  if (caller.master) return true
  const permission = permissions[operation] ?? 'public'
  return permission === 'public' || permits(permission, caller)
}

function permits(permission: Exclude<Permission, 'public'>, caller: Caller): boolean {
  if (permission === 'master' || caller.userId === null) return false
  if (permission === 'users') return true
  return (
    permission.users.includes(caller.userId) || permission.roles.some((role) => caller.grants.includes(`role:${role}`))
  )
}
