import type { Sql } from '../database/sql.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isStorableText, type Json, shown } from '../values/json.ts'
import { isObjectId } from '../values/names.ts'
import type { Leaderboards } from './leaderboards.ts'

/** The kind of members of a board: users, objects of another class, or arbitrary texts. */
export type MemberKind = 'user' | 'object' | 'entity'

/** Maximum characters of an entity. */
const MAX_ENTITY = 128

/** Maximum members in one request. */
const MAX_MEMBERS = 200

export function kindOf(memberType: string): MemberKind {
  if (memberType === '_User') return 'user'
  return memberType === '_Entity' ? 'entity' : 'object'
}

/** Returns the SQL condition for boards with members of a kind. */
export function isOfKind(kind: MemberKind): Sql {
  if (kind === 'user') return sql`member_type = '_User'`
  if (kind === 'entity') return sql`member_type = '_Entity'`
  return sql`member_type <> '_User' AND member_type <> '_Entity'`
}

/** Checks a member. @throws ApiError 104, 126 or 1 for an invalid member of this kind */
export function checkMember(kind: MemberKind, member: Json | undefined): string {
  if (kind === 'entity') {
    if (typeof member !== 'string' || member === '' || member.length > MAX_ENTITY)
      throw errors.badArgument(`An entity must be a string of 1 to ${MAX_ENTITY} characters, not ${shown(member)}.`)
    if (!isStorableText(member))
      throw errors.malformedJson('An entity must be a Unicode string without NUL characters.')
    return member
  }
  if (!isObjectId(member))
    throw errors.invalidObjectId(`The ${kind} id must be 1 to 128 letters and digits, not ${shown(member)}.`)
  return member
}

/** Returns the member in a path; `self` is the user of the caller's session. @throws ApiError 1 without a session */
export function memberOfPath(kind: MemberKind, member: string, { userId }: Caller): string {
  if (kind !== 'user' || member !== 'self') return checkMember(kind, member)
  if (userId === null) throw errors.badArgument("'self' requires the session token of the user in X-LC-Session.")
  return userId
}

/** Format of server-generated ids. Ids of imported users can have other formats. */
const USUAL_ID = /^[0-9a-f]{24}$/

/**
 * Returns whether a member is not a user id: it has neither the usual format, nor is it the id of an existing user
 * (protocol/social, Leaderboards).
 */
export async function isMalformedUser(
  { database, objects }: Pick<Leaderboards, 'database' | 'objects'>,
  kind: MemberKind,
  member: string,
  { origin }: Caller,
): Promise<boolean> {
  if (kind !== 'user' || USUAL_ID.test(member)) return false
  const { table } = objects.classes.get('_User')!
  const rows = await database.query(sql`SELECT FROM ${table} WHERE id = ${member}`, origin?.principal)
  return rows.length === 0
}

export function malformedUser(member: string): Error {
  return errors.invalidObjectId(`'${member.slice(0, 80)}' is not a user id: a user id has 24 hexadecimal digits.`)
}

/** Parses the members in a body. @throws ApiError 1 when they are not a list, or too many */
export function membersOfBody(kind: MemberKind, ids: Json | undefined): string[] {
  if (!Array.isArray(ids)) throw errors.badArgument("'ids' must be a list of the members' ids.")
  if (ids.length > MAX_MEMBERS)
    throw errors.badArgument(`'ids' must contain at most ${MAX_MEMBERS} members; it contains ${ids.length}.`)
  return [...new Set(ids.map((id: Json) => checkMember(kind, id)))]
}

/** Checks that the caller may write the statistics of a member. @throws ApiError 403 */
export function checkMayWrite({ settings }: Leaderboards, kind: MemberKind, member: string, caller: Caller): void {
  if (caller.master) return
  if (kind !== 'user')
    throw errors.forbidden(
      `Statistics of ${kind === 'object' ? 'objects' : 'entities'} can only be written with the master key.`,
    )
  if (!settings().usersWriteTheirOwn)
    throw errors.forbidden(
      'Statistics can only be written with the master key, because leaderboards.usersWriteTheirOwn is off.',
    )
  if (caller.userId !== member)
    throw errors.forbidden('Users can only write their own statistics; those of others require the master key.')
}
