import { MAX_RESULT_BYTES } from '../database/collect-rows.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type Parameters, parseFindQuery } from '../objects/query-parameters.ts'
import { findObjects } from '../objects/reading/find.ts'
import type { Json, JsonObject } from '../values/json.ts'
import type { Leaderboards } from './leaderboards.ts'
import { kindOf } from './members.ts'

/** The requested fields of members, and the pointers to include. */
export interface MemberView {
  /** null: pointers only */
  readonly keys: Json | null
  readonly include: Json | null
}

/** Fields of users that are shown here only to the master key. */
const PRIVATE = ['-email', '-mobilePhoneNumber', '-authData']

/** Members read at once. */
const AT_ONCE = 1000

/**
 * Maximum characters of members in a response: those of one read, with ids, times and braces, which are added to their fields.
 */
const MAX_SHOWN = MAX_RESULT_BYTES + AT_ONCE * 256

/**
 * Returns a function that formats a member as JSON text, such as `"user":{…}`: as a pointer, or as an object if fields are
 * requested. A member that the caller may not read, by the class permissions or its ACL, remains a pointer. So does a member that
 * would exceed the maximum response size of 6 MB, counting repeated members repeatedly (protocol/storage, Query parameters).
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
    // Each member is named by its id, so the permission `get` applies.
    const { results } = await findObjects(objects, className, query, caller, 'get')
    return results.map((text) => ({ id: idOf(text), text }))
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 101)) return []
    throw error
  }
}

/** Returns the id at the start of an object's text. Parsing large members completely would block the event loop. */
function idOf(text: string): string {
  const id = /^\{"objectId":"([^"\\]*)"/.exec(text.slice(0, 200))?.[1]
  return id ?? String((JSON.parse(text) as JsonObject).objectId)
}

function listOf(names: Json | null): Json[] {
  if (names === null) return []
  return Array.isArray(names) ? [...names] : typeof names === 'string' ? names.split(',') : [names]
}
