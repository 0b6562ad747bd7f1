import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { App } from './answers.ts'
import { type Method, path, type RequestOptions, request, send } from './request.ts'

export type { App }

/** The master and hook keys are missing for administrators who may only look. */

/** The apps that the administrator may see. */
export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async ({ signal }) => (await request('GET', '/admin/apps', { signal })).apps,
})

export function useApps(): readonly App[] {
  return useSuspenseQuery(appsQuery).data
}

/**
 * Calls an endpoint of an app's own API with the rights of its master key.
 * @param apiPath such as `/1.1/classes/Post`, its variable parts encoded
 * @throws Problem
 */
export function callApp<T>(appId: string, method: Method, apiPath: string, options?: RequestOptions): Promise<T> {
  return send<T>(method, `${path`/admin/apps/${appId}/api`}${apiPath}`, options)
}
