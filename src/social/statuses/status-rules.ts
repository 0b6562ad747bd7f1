import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Changes } from '../../objects/operations/operation.ts'
import type { ClassRules } from '../../objects/store.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import { userPointer } from '../friendship/friendship.ts'
import { PRIVATE_INBOX, USER } from './statuses.ts'

export interface StatusRulesOptions {
  /** Whether the administrator has said which ACL statuses get. */
  hasDefaultAcl(): boolean
  /** Called after statuses were written or deleted. */
  changed(): void
}

/** Whom a status comes from, and where it went, stays as it is. */
const FIXED = ['source', 'inboxType']

/** What `_Status` does differently, by whatever way statuses are written (protocol/social, Statuses). */
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

/** A client speaks for nobody else: the source is the user of its session. */
function withSource(changes: Changes, caller: Caller): Changes {
  if (caller.master) return changes
  if (caller.userId === null) throw errors.userWithoutSession()
  const given = setValue(changes, 'source')
  if (given !== undefined && given !== null) {
    if (!isUser(given) || targetId(given) !== caller.userId)
      throw errors.forbidden(`The 'source' of a status is the user who sends it: ${caller.userId}.`)
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

/** Everybody reads what is not private; the source alone changes and deletes it. */
function withAcl(changes: Changes, hasDefaultAcl: boolean): Changes {
  const source = setValue(changes, 'source')
  if (changes.acl || hasDefaultAcl || !isUser(source)) return changes
  const isPrivate = setValue(changes, 'inboxType') === PRIVATE_INBOX
  return { ...changes, acl: aclOf(targetId(source), isPrivate ? [] : ['*']) }
}

/** @param readers ids of users, or `*` */
export function aclOf(sourceId: string, readers: readonly string[]): JsonObject {
  return {
    ...Object.fromEntries(readers.map((reader) => [reader, { read: true }])),
    [sourceId]: { read: true, write: true },
  }
}

export function isUser(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && value.__type === 'Pointer' && value.className === USER
}

/** What a create sets a field to; undefined where it does not. */
function setValue({ fields }: Changes, name: string): Json | undefined {
  const operation = fields.find(({ path }) => path[0] === name)?.operations.at(-1)
  return operation?.kind === 'Set' ? operation.value : undefined
}
