import { errors } from '../errors.ts'
import type { Changes } from '../objects/operations/operation.ts'
import type { ClassRules } from '../objects/store.ts'

const ROLE_NAME = /^[A-Za-z0-9_]{1,100}$/

/** Returns the rules of `_Role` (protocol/storage, Roles): a role is created with a name and an ACL, and its name is fixed. */
export function roleRules(changed: () => void): ClassRules {
  return {
    create(changes: Changes): Changes {
      checkName(changes)
      if (!changes.acl) throw aclRequired()
      return changes
    },
    update(changes: Changes): void {
      if (changes.keys.includes('name')) throw errors.roleNameFixed()
      // Without an ACL, any user could become a member.
      if (changes.acl === null) throw aclRequired()
    },
    changed,
  }
}

const aclRequired = () => errors.badArgument('Role ACL is required.')

function checkName(changes: Changes): void {
  const change = changes.fields.find((field) => field.path[0] === 'name')
  const operation = change?.operations[0]
  const name = operation?.kind === 'Set' ? operation.value : undefined
  if (typeof name !== 'string' || !ROLE_NAME.test(name)) {
    throw errors.invalidRoleName("'name' must be 1 to 100 letters, digits and underscores.")
  }
}
