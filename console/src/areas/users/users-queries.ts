import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'
import { path, request } from '../../api/request.ts'
import type { DataObject, RowPage } from '../data/data-queries.ts'
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

/** How a user can log in. */
export interface LoginState {
  readonly hasPassword: boolean
  readonly hasSession: boolean
  readonly failures: number
  /** ISO; null: nothing is locked */
  readonly lockedUntil: string | null
  readonly linked: readonly { readonly platform: string; readonly uids: readonly string[] }[]
}

const USER_KEYS = 'username,email,emailVerified,mobilePhoneNumber,mobilePhoneVerified'
const PAGE_SIZE = 50

export const userPointer = (objectId: string) => ({ __type: 'Pointer', className: '_User', objectId })
export const rolePointer = (objectId: string) => ({ __type: 'Pointer', className: '_Role', objectId })

/** Pages of users, the newest first. @param sought how a name, an address, a number or an id begins */
export function usersQuery(appId: string, sought: string) {
  const begins = { $regex: `^${escaped(sought)}` }
  const where = sought === '' ? undefined : { $or: SOUGHT.map((field) => ({ [field]: begins })) }
  return pagesOf<User>(appId, '_User', 'users', where, '-objectId', USER_KEYS)
}

const SOUGHT = ['username', 'email', 'mobilePhoneNumber', 'objectId']

/** Users who have a role by themselves. */
export function roleUsersQuery(appId: string, roleId: string, sought: string) {
  const related = { $relatedTo: { object: rolePointer(roleId), key: 'users' } }
  const where = sought === '' ? related : { ...related, username: { $regex: `^${escaped(sought)}` } }
  return pagesOf<User>(appId, '_User', 'users', where, '-objectId', USER_KEYS)
}

/** Pages of roles by their names. */
export function rolesQuery(appId: string, sought: string) {
  const where = sought === '' ? undefined : { name: { $regex: `^${escaped(sought)}` } }
  return pagesOf<Role>(appId, '_Role', 'roles', where, 'name')
}

/** Roles that a role holds: their users have its rights too. */
export function subRolesQuery(appId: string, roleId: string) {
  return pagesOf<Role>(appId, '_Role', 'roles', { $relatedTo: { object: rolePointer(roleId), key: 'roles' } }, 'name')
}

/** Roles that hold a role, or a user. */
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
    queryFn: ({ pageParam, signal }) =>
      request<Omit<RowPage, 'results'> & { results: readonly Row[] }>(
        'POST',
        path`/admin/apps/${appId}/classes/${className}/find`,
        { body: { where, order, keys, limit: PAGE_SIZE, ...(pageParam !== null && { after: pageParam }) }, signal },
      ),
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
      const { results } = await request<{ results: Role[] }>('POST', path`/admin/apps/${appId}/classes/_Role/find`, {
        body,
        signal,
      })
      return results[0] ?? null
    },
  })
}

export function loginStateQuery(appId: string, userId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'users', 'login', userId],
    queryFn: ({ signal }) => request<LoginState>('GET', path`/admin/apps/${appId}/users/${userId}/login`, { signal }),
  })
}
