import { type Sql, sql } from '../../database/sql.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { type Parameters, parseFindQuery } from '../../objects/query-parameters.ts'
import { type Found, findObjects } from '../../objects/reading/find.ts'
import { readableRows } from '../../objects/store.ts'
import { allOf, type Where } from '../../objects/where/tree.ts'
import { BLOCKLIST, FOLLOWEE, FOLLOWER, type Friendship, schemaOf, userIn, userPointer } from './friendship.ts'

/*
 * What a user has to do with others, as queries of the classes: the conditions, order and page of the request, and class
 * permissions and ACLs, hold as in any query (protocol/social, Lists).
 */

type Lists = Pick<Friendship, 'objects'>

/** Who follows a user. */
export function followersOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWER, userId, parameters, caller)
}

/** Whom a user follows. */
export function followeesOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWEE, userId, parameters, caller)
}

/** Those of whom a user follows who are its friends. */
export function friendsOf(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, FOLLOWEE, userId, parameters, caller, [{ kind: 'equal', path: ['friendStatus'], value: true }])
}

/** Whom a user blocks. */
export function blockedBy(lists: Lists, userId: string, parameters: Parameters, caller: Caller): Promise<Found> {
  return rowsOf(lists, BLOCKLIST, userId, parameters, caller)
}

/**
 * Whom a user follows who follows the user, as far as the caller may read that of both. The rows are those of `_Followee` without
 * `user`.
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
 * The rows of whom a user follows that follow the user back, as a condition over them. A friend who has only been asked is not
 * followed.
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
