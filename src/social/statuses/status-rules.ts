import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Changes } from '../../objects/operations/operation.ts'
import type { ClassRules } from '../../objects/store.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import { userPointer } from '../friendship/friendship.ts'
import { PRIVATE_INBOX, USER } from './statuses.ts'

export interface StatusRulesOptions {
  /** Whether the administrator has configured a default ACL for statuses. */
  hasDefaultAcl(): boolean
  /** Called after statuses were created, changed or deleted. */
  changed(): void
}

/** Fields that cannot be changed. */
const FIXED = ['source', 'inboxType']

/** Returns the special rules of `_Status`, for all ways of writing statuses (protocol/social, Statuses). */
export function statusRules({ hasDefaultAcl, changed }: StatusRulesOptions): ClassRules {
  return {
    create: (given, caller) => withAcl(withSource(given, caller), hasDefaultAcl()),
    update(changes) {
      const key = FIXED.find((name) => changes.keys.includes(name))
      if (key !== undefined) throw errors.readOnlyKey(key)
    },
    changed,
  }
}

/** Sets the source, which for clients must be the user of the session. */
function withSource(changes: Changes, caller: Caller): Changes {
  if (caller.master) return changes
  if (caller.userId === null) throw errors.userWithoutSession()
  const given = setValue(changes, 'source')
  if (given !== undefined && given !== null) {
    if (!isUser(given) || targetId(given) !== caller.userId)
      throw errors.forbidden(`The 'source' of a status must be its sender, the user ${caller.userId}.`)
    return changes
  }
  const source = userPointer(caller.userId)
  const others = changes.fields.filter(({ path }) => path[0] !== 'source')
  return {
    ...changes,
    fields: [...others, { path: ['source'], operations: [{ kind: 'Set', value: source }] }],
    types: new Map([...changes.types, ['source', { type: 'Pointer', className: USER }]]),
    keys: [...new Set([...changes.keys, 'source'])],
  }
}

/** Sets the default ACL: statuses that are not private are public; only the source can change and delete a status. */
function withAcl(changes: Changes, hasDefaultAcl: boolean): Changes {
  const source = setValue(changes, 'source')
  if (changes.acl || hasDefaultAcl || !isUser(source)) return changes
  const isPrivate = setValue(changes, 'inboxType') === PRIVATE_INBOX
  return { ...changes, acl: aclOf(targetId(source), isPrivate ? [] : ['*']) }
}

/** Returns the ACL of a status. @param readers ids of users, or `*` */
export function aclOf(sourceId: string, readers: readonly string[]): JsonObject {
  return {
    ...Object.fromEntries(readers.map((reader) => [reader, { read: true }])),
    [sourceId]: { read: true, write: true },
  }
}

export function isUser(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && value.__type === 'Pointer' && value.className === USER
}

/** Returns the value that a create sets a field to; undefined when it does not set it. */
function setValue({ fields }: Changes, name: string): Json | undefined {
  const operation = fields.find(({ path }) => path[0] === name)?.operations.at(-1)
  return operation?.kind === 'Set' ? operation.value : undefined
}
