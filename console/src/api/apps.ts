import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { App } from './answers.ts'
import { type Method, path, type RequestOptions, request, send } from './request.ts'

export type { App }

/** The master and hook keys are missing for administrators with read access only. */

/** The apps visible to the administrator. */
export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async ({ signal }) => (await request('GET', '/admin/apps', { signal })).apps,
})

export function useApps(): readonly App[] {
  return useSuspenseQuery(appsQuery).data
}

/**
 * Calls an endpoint of an app's own API with master permissions.
 * @param apiPath such as `/1.1/classes/Post`, with encoded variable parts
 * @throws Problem
 */
export function callApp<T>(appId: string, method: Method, apiPath: string, options?: RequestOptions): Promise<T> {
  return send<T>(method, `${path`/admin/apps/${appId}/api`}${apiPath}`, options)
}
