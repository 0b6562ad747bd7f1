import { MAX_RESULT_BYTES } from '../database/collect-rows.ts'
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

/** Characters of members in a response: those of one read, with ids, times and braces, which count beside their fields. */
const MAX_SHOWN = MAX_RESULT_BYTES + AT_ONCE * 256

/**
 * Returns what shows a member as JSON text, like `"user":{…}`: as a pointer, or as an object where fields are requested.
 * A member that the caller may not read, by the permissions of its class or its ACL, stays a pointer. So does a member
 * for which the response has no room any more: it counts as often as it is shown, up to 6 MB (protocol/storage, Query
 * parameters).
 */
export async function showMembers(
  { objects }: Leaderboards,
  memberType: string,
  members: readonly string[],
  { keys, include }: MemberView,
  caller: Caller,
): Promise<(member: string) => string> {
  const kind = kindOf(memberType)
  if (kind === 'entity') return (member) => `"entity":${JSON.stringify(member)}`
  const type = `"className":${JSON.stringify(memberType)}`
  const pointer = (id: string) => `"${kind}":{"__type":"Pointer",${type},"objectId":${JSON.stringify(id)}}`
  const found = new Map<string, string>()
  if (keys !== null || include !== null) {
    let read = 0
    for (let start = 0; start < members.length && read < MAX_RESULT_BYTES; start += AT_ONCE) {
      const ids = members.slice(start, start + AT_ONCE)
      for (const { id, text } of await readMembers(objects, memberType, ids, { keys, include }, caller)) {
        found.set(id, text)
        read += text.length
      }
    }
  }
  let shown = 0
  return (member) => {
    const text = found.get(member)
    if (text === undefined || (shown > 0 && shown + text.length > MAX_SHOWN)) return pointer(member)
    shown += text.length
    return `"${kind}":${text.slice(0, -1)},"__type":"Object",${type}}`
  }
}

async function readMembers(
  objects: Leaderboards['objects'],
  className: string,
  ids: readonly string[],
  { keys, include }: MemberView,
  caller: Caller,
): Promise<{ readonly id: string; readonly text: string }[]> {
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
    return results.map((text) => ({ id: idOf(text), text }))
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 101)) return []
    throw error
  }
}

/** Returns the id that the text of an object begins with: parsing all of it would block the event loop for large members. */
function idOf(text: string): string {
  const id = /^\{"objectId":"([^"\\]*)"/.exec(text.slice(0, 200))?.[1]
  return id ?? String((JSON.parse(text) as JsonObject).objectId)
}

function listOf(names: Json | null): Json[] {
  if (names === null) return []
  return Array.isArray(names) ? [...names] : typeof names === 'string' ? names.split(',') : [names]
}
