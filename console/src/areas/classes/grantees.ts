import { queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'

/** Somebody to whom something is granted: `user:<objectId>` or `role:<name>`. */
export type Grantee = `user:${string}` | `role:${string}`

export interface FoundGrantee {
  readonly grantee: Grantee
  /** The name of a user or role. */
  readonly name: string
}

const MOST_FOUND = 10

/** Users and roles whose names begin with a text, ten of each at most. */
export function granteesQuery(appId: string, text: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'grantees', text],
    queryFn: async ({ signal }): Promise<FoundGrantee[]> => {
      const beginning = (field: string) =>
        text === '' ? {} : { where: { [field]: { $regex: `^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}` } } }
      const [users, roles] = await Promise.all([
        callApp<{ results: { objectId: string; username?: string }[] }>(appId, 'GET', '/1.1/users', {
          query: { ...beginning('username'), keys: 'username', limit: MOST_FOUND },
          signal,
        }),
        callApp<{ results: { name: string }[] }>(appId, 'GET', '/1.1/roles', {
          query: { ...beginning('name'), keys: 'name', limit: MOST_FOUND },
          signal,
        }),
      ])
      return [
        ...roles.results.map(({ name }): FoundGrantee => ({ grantee: `role:${name}`, name })),
        ...users.results.map(
          ({ objectId, username }): FoundGrantee => ({ grantee: `user:${objectId}`, name: username ?? objectId }),
        ),
      ]
    },
  })
}

/** The names of users, by their ids; who is not there any more is left out. */
export function userNamesQuery(appId: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: ['apps', appId, 'user-names', ids],
    enabled: ids.length > 0,
    queryFn: async ({ signal }): Promise<{ readonly [id: string]: string }> => {
      const { results } = await callApp<{ results: { objectId: string; username?: string }[] }>(
        appId,
        'GET',
        '/1.1/users',
        {
          query: { where: { objectId: { $in: ids } }, keys: 'username', limit: 1000 },
          signal,
        },
      )
      return Object.fromEntries(results.map(({ objectId, username }) => [objectId, username ?? objectId]))
    },
  })
}
