import { queryOptions } from '@tanstack/react-query'
import { callApp } from '../../api/apps.ts'
import { shownText } from '../shown-text.ts'

/** A user or role in an ACL: `user:<objectId>` or `role:<name>`. */
export type Grantee = `user:${string}` | `role:${string}`

/** Returns the grantee of an ACL key, where users are only ids. */
export function granteeOf(who: string): Grantee {
  return who.startsWith('role:') ? (who as Grantee) : `user:${who}`
}

/** Returns the ACL key of a grantee. */
export function nameInAcl(grantee: Grantee): string {
  return grantee.startsWith('role:') ? grantee : grantee.slice('user:'.length)
}

export interface FoundGrantee {
  readonly grantee: Grantee
  /** The name of a user or role. */
  readonly name: string
}

const MAX_FOUND = 10

/** Returns the query options for users and roles with a name prefix, at most ten of each, and the user with that id. */
export function granteesQuery(appId: string, text: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'grantees', text],
    queryFn: async ({ signal }): Promise<FoundGrantee[]> => {
      const beginning = { $regex: `^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}` }
      const where = (condition: object) => (text === '' ? {} : { where: condition })
      const [users, roles] = await Promise.all([
        callApp<{ results: { objectId: string; username?: string }[] }>(appId, 'GET', '/1.1/users', {
          query: {
            ...where({ $or: [{ username: beginning }, { objectId: text }] }),
            keys: 'username',
            limit: MAX_FOUND,
          },
          signal,
        }),
        callApp<{ results: { name: string }[] }>(appId, 'GET', '/1.1/roles', {
          query: { ...where({ name: beginning }), keys: 'name', limit: MAX_FOUND },
          signal,
        }),
      ])
      return [
        ...roles.results.map(({ name }): FoundGrantee => ({ grantee: `role:${name}`, name })),
        ...users.results.map(
          ({ objectId, username }): FoundGrantee => ({
            grantee: `user:${objectId}`,
            name: shownText(username) || objectId,
          }),
        ),
      ]
    },
  })
}

/** Returns the query options for the names of users, by id; deleted ones are omitted. */
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
      return Object.fromEntries(results.map(({ objectId, username }) => [objectId, shownText(username) || objectId]))
    },
  })
}
