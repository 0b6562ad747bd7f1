import { errors } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { checkPermission } from '../access/permissions.ts'
import { missingFields } from '../classes/classes.ts'
import { checkReadOnly } from '../classes/field-options.ts'
import type { Changes } from '../operations/operation.ts'
import type { ObjectStore } from '../store.ts'

/**
 * Checks that a caller may create an object, without creating the class or fields. Hooks do not run for a create that is
 * forbidden (protocol/cloud-code, When they run).
 * @throws ApiError 111, 117, 403
 */
export async function checkMayCreate(
  store: ObjectStore,
  className: string,
  changes: Changes,
  caller: Caller,
): Promise<void> {
  const schema = await store.classes.lookUp(className)
  if (!schema) return checkMayMakeClass(store, className, caller)
  checkPermission(className, schema.permissions, 'create', caller)
  checkReadOnly(changes, schema, caller)
  if (missingFields(schema, changes.types).length > 0)
    checkPermission(className, schema.permissions, 'addField', caller)
}

export function mayMakeClass(store: ObjectStore, caller: Caller): boolean {
  return caller.master || store.settings().clientClassCreation
}

/** Checks that the caller may create a class. @throws ApiError 403 */
export function checkMayMakeClass(store: ObjectStore, className: string, caller: Caller): void {
  if (mayMakeClass(store, caller)) return
  throw errors.forbidden(
    `Forbidden to create the class '${className}': the app does not allow clients to create classes.`,
  )
}
