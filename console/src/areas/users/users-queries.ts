import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'
import { path, request } from '../../api/request.ts'
import type { DataObject } from '../data/data-queries.ts'
import { escaped } from '../data/filters/filter-tree.ts'

export interface User extends DataObject {
  readonly username?: string
  readonly email?: string | null
  readonly emailVerified?: boolean | null
  readonly mobilePhoneNumber?: string | null
  readonly mobilePhoneVerified?: boolean | null
}

export interface Role extends DataObject {
  readonly name: string
}

const USER_KEYS = 'username,email,emailVerified,mobilePhoneNumber,mobilePhoneVerified'
const PAGE_SIZE = 50

export const userPointer = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId })
export const rolePointer = (objectId: string) => ({ __type: 'Pointer', className: '_Role', objectId })

/**
 * Returns the query options for pages of users, newest first.
 * @param search prefix of a name, an address, a number or an id
 */
export function usersQuery(appId: string, search: string) {
  const begins = { $regex: `^${escaped(search)}` }
  const where = search === '' ? undefined : { $or: SEARCHED_FIELDS.map((field) => ({ [field]: begins })) }
  return pagesOf<User>(appId, '_User', 'users', where, '-objectId', USER_KEYS)
}

const SEARCHED_FIELDS = ['username', 'email', 'mobilePhoneNumber', 'objectId']

/** Returns the query options for the direct users of a role. */
export function roleUsersQuery(appId: string, roleId: string, search: string) {
  const related = { $relatedTo: { object: rolePointer(roleId), key: 'users' } }
  const where = search === '' ? related : { ...related, username: { $regex: `^${escaped(search)}` } }
  return pagesOf<User>(appId, '_User', 'users', where, '-objectId', USER_KEYS)
}

/** Returns the query options for pages of roles by name. */
export function rolesQuery(appId: string, search: string) {
  const where = search === '' ? undefined : { name: { $regex: `^${escaped(search)}` } }
  return pagesOf<Role>(appId, '_Role', 'roles', where, 'name')
}

/** Returns the query options for the child roles of a role, whose users have its permissions too. */
export function subRolesQuery(appId: string, roleId: string) {
  return pagesOf<Role>(appId, '_Role', 'roles', { $relatedTo: { object: rolePointer(roleId), key: 'roles' } }, 'name')
}

/** Returns the query options for the roles that contain a role or a user. */
export function holdersQuery(appId: string, held: ReturnType<typeof userPointer>) {
  return pagesOf<Role>(appId, '_Role', 'roles', { [held.className === '_User' ? 'users' : 'roles']: held }, 'name')
}

function pagesOf<Row extends DataObject>(
  appId: string,
  className: string,
  kind: 'users' | 'roles',
  where: object | undefined,
  order: string,
  keys?: string,
) {
  return infiniteQueryOptions({
    queryKey: ['apps', appId, kind, 'pages', className, { where, order }],
    initialPageParam: null as string | null,
    getNextPageParam: (page: { next: string | null }) => page.next,
    queryFn: async ({ pageParam, signal }) => {
      const { results, next } = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
        params: { appId, className },
        body: { where, order, keys, limit: PAGE_SIZE, ...(pageParam !== null && { after: pageParam }) },
        signal,
      })
      // The built-in class has these fields.
      return { results: results as readonly Row[], next }
    },
  })
}

export function userQuery(appId: string, userId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'users', 'one', userId],
    queryFn: ({ signal }) =>
      callApp<User>(appId, 'GET', path`/1.1/users/${userId}`, { query: { keys: USER_KEYS }, signal }),
  })
}

export function roleQuery(appId: string, roleId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'roles', 'one', roleId],
    queryFn: async ({ signal }) => {
      const body = { where: { objectId: roleId }, limit: 1 }
      const { results } = await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
        params: { appId, className: '_Role' },
        body,
        signal,
      })
      return (results[0] as Role | undefined) ?? null
    },
  })
}

/** Returns the query options for the ways a user can log in. */
export function loginStateQuery(appId: string, userId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'users', 'login', userId],
    queryFn: ({ signal }) =>
      request('GET', '/admin/apps/{appId}/users/{objectId}/login', { params: { appId, objectId: userId }, signal }),
  })
}
