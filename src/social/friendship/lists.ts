import { type Sql, sql } from '../../database/sql.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { type Parameters, parseFindQuery } from '../../objects/query-parameters.ts'
import { type Found, findObjects } from '../../objects/reading/find.ts'
import { readableRows } from '../../objects/store.ts'
import { allOf, type Where } from '../../objects/where/tree.ts'
import { BLOCKLIST, FOLLOWEE, FOLLOWER, type Friendship, schemaOf, userIn, userPointer } from './friendship.ts'

/*
 * Lists of a user's relations, as queries on the classes. Conditions, order and page of the request, class permissions and ACLs
 * apply as in any query (protocol/social, Lists).
 */

type Lists = Pick<Friendship, 'objects'>

/** Lists the followers of a user. */
export function followersOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWER, userId, parameters, caller)
}

/** Lists the users that a user follows. */
export function followeesOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWEE, userId, parameters, caller)
}

/** Lists the friends of a user, which are a subset of the followed users. */
export function friendsOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWEE, userId, parameters, caller, [{ kind: 'equal', path: ['friendStatus'], value: true }])
}

/** Lists the users that a user blocks. */
export function blockedBy(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, BLOCKLIST, userId, parameters, caller)
}

/**
 * Lists the users that a user follows and that follow it back, as far as the caller may read both rows. The rows are those of
 * `_Followee` without `user`.
 */
export function mutualFolloweesOf(
  lists: Lists,
  userId: string,
  parameters: Parameters,
  caller: Caller,
): Promise<Found> {
  const { view, ...query } = parseFindQuery(parameters)
  const { included = null, excluded = [] } = view.selection ?? {}
  const selection = { included, excluded: [...excluded, ['user']] }
  const where = withUser(userId, query.where)
  const found = { ...query, where, view: { ...view, selection } }
  return findObjects(lists.objects, FOLLOWEE, found, caller, 'find', mutual(lists, userId, caller))
}

/**
 * Returns the condition on rows of `_Followee` whose users follow back. A pending friend request does not count as a follow.
 * @throws ApiError 403
 */
function mutual(lists: Lists, userId: string, caller: Caller): Sql {
  const { table, permissions } = schemaOf(lists, FOLLOWER)
  checkPermission(FOLLOWER, permissions, 'find', caller)
  const readable = readableRows(lists.objects, FOLLOWER, caller)
  return sql`
    ${userIn('followee')} IN (
      SELECT ${userIn('follower')} FROM ${table} WHERE ${userIn('user')} = ${userId} AND ${readable})
    AND ${userIn('followee')} IN (
      SELECT ${userIn('user')} FROM ${table} WHERE ${userIn('follower')} = ${userId} AND ${readable})`
}

function rowsOf(
  { objects }: Lists,
  className: string,
  userId: string,
  parameters: Parameters,
  caller: Caller,
  further: readonly Where[] = [],
): Promise<Found> {
  const query = parseFindQuery(parameters)
  return findObjects(objects, className, { ...query, where: withUser(userId, query.where, ...further) }, caller)
}

function withUser(userId: string, ...conditions: readonly (Where | null)[]): Where {
  const ofUser: Where = { kind: 'equal', path: ['user'], value: userPointer(userId) }
  return allOf([ofUser, ...conditions.filter((condition) => condition !== null)])
}
