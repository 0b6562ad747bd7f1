import { chunks } from '../bus/chunks.ts'
import { ApiError } from '../errors.ts'
import { ANONYMOUS, type Caller } from '../objects/access/caller.ts'
import { checkPermission } from '../objects/access/permissions.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { checkQueryable } from '../objects/classes/field-options.ts'
import { isJsonObject, type Json } from '../values/json.ts'
import type { LiveQueries } from './live-queries.ts'
import type { LiveQuery } from './live-query.ts'

/** The grantees with read permission; null for everyone. */
export type Readers = ReadonlySet<string> | null

/** Returns the readers of an ACL. @param acl as stored, as JSON text */
export function readersOf(acl: string | null): Readers {
  if (acl === null) return null
  const grants = Object.entries(JSON.parse(acl) as { [grantee: string]: Json })
  const readers = new Set(
    grants.filter(([, granted]) => isJsonObject(granted) && granted.read === true).map(([name]) => name),
  )
  return readers.has('*') ? null : readers
}

export function mayRead(readers: Readers, { grants }: Caller): boolean {
  return readers === null || grants.some((grant) => readers.has(grant))
}

/**
 * Checks that a caller may subscribe to a query: the class is open to it, and the fields of the condition are visible to it. The
 * permissions are checked again for every event, because they may have changed.
 * @throws ApiError 403
 */
export function checkMayQuery(schema: ClassSchema, fields: readonly string[], caller: Caller): void {
  checkPermission(schema.name, schema.permissions, 'find', caller)
  for (const field of fields) checkQueryable(schema, field, caller)
}

export function mayQuery(schema: ClassSchema, fields: readonly string[], caller: Caller): boolean {
  try {
    checkMayQuery(schema, fields, caller)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** How many users have their roles looked up at once. */
const ROLES_AT_ONCE = 20

/** Returns the current callers of the users of queries, by their ids. Roles are looked up only if they matter. */
export async function callersOf(
  live: Pick<LiveQueries, 'rolesOf'>,
  queries: Iterable<LiveQuery>,
  schema: ClassSchema,
  readers: readonly Readers[],
): Promise<ReadonlyMap<string | null, Caller>> {
  const callers = new Map<string | null, Caller>([[null, ANONYMOUS]])
  const userIds = new Set<string>()
  for (const { userId } of queries) if (userId !== null) userIds.add(userId)
  const decide = rolesDecide(schema, readers)
  for (const some of chunks([...userIds], ROLES_AT_ONCE)) {
    const roles = decide ? await Promise.all(some.map((userId) => live.rolesOf(userId))) : []
    some.forEach((userId, index) => {
      const grants = [userId, ...(roles[index] ?? []).map((role) => `role:${role}`)]
      callers.set(userId, { master: false, userId, grants })
    })
  }
  return callers
}

function rolesDecide({ permissions }: ClassSchema, readers: readonly Readers[]): boolean {
  const { find } = permissions
  if (typeof find === 'object' && find.roles.length > 0) return true
  return readers.some((those) => those !== null && [...those].some((reader) => reader.startsWith('role:')))
}
