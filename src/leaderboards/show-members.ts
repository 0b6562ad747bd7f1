import { ApiError } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type Parameters, parseFindQuery } from '../objects/query-parameters.ts'
import { findObjects } from '../objects/reading/find.ts'
import type { Json, JsonObject } from '../values/json.ts'
import type { Leaderboards } from './leaderboards.ts'
import { kindOf } from './members.ts'

/** What is shown of members: fields of theirs, and what these point to. */
export interface MemberView {
  /** null: pointers alone */
  readonly keys: Json | null
  readonly include: Json | null
}

/** Fields of users that only the master key is shown here. */
const PRIVATE = ['-email', '-mobilePhoneNumber', '-authData']

/** Members that are read at once. */
const AT_ONCE = 1000

/**
 * How the members of rows are shown: as pointers, or as objects where fields of theirs are asked for. Of who may not read a
 * member, by the permissions of its class or its ACL, it is a pointer all the same.
 * @returns the member of a row, for each
 */
export async function showMembers(
  { objects }: Leaderboards,
  memberType: string,
  members: readonly string[],
  { keys, include }: MemberView,
  caller: Caller,
): Promise<(member: string) => JsonObject> {
  const kind = kindOf(memberType)
  if (kind === 'entity') return (member) => ({ entity: member })
  const pointer = (id: string): JsonObject => ({ __type: 'Pointer', className: memberType, objectId: id })
  const found = new Map<string, JsonObject>()
  if (keys !== null || include !== null) {
    for (let start = 0; start < members.length; start += AT_ONCE) {
      const ids = members.slice(start, start + AT_ONCE)
      for (const object of await readMembers(objects, memberType, ids, { keys, include }, caller))
        found.set(String(object.objectId), { ...object, __type: 'Object', className: memberType })
    }
  }
  return (member) => ({ [kind]: found.get(member) ?? pointer(member) })
}

async function readMembers(
  objects: Leaderboards['objects'],
  className: string,
  ids: readonly string[],
  { keys, include }: MemberView,
  caller: Caller,
): Promise<JsonObject[]> {
  if (ids.length === 0) return []
  const hidden = className === '_User' && !caller.master ? PRIVATE : []
  const parameters: Parameters = {
    where: { objectId: { $in: ids } },
    limit: AT_ONCE,
    keys: [...listOf(keys), ...listOf(include), ...hidden],
    ...(include !== null && { include }),
  }
  const query = parseFindQuery(parameters)
  try {
    // Each is named by its id, as in a read of one object.
    const { results } = await findObjects(objects, className, query, caller, 'get')
    return results.map((text) => JSON.parse(text) as JsonObject)
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 101)) return []
    throw error
  }
}

function listOf(names: Json | null): Json[] {
  if (names === null) return []
  return Array.isArray(names) ? [...names] : typeof names === 'string' ? names.split(',') : [names]
}
