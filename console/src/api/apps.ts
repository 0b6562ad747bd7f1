import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { type Method, path, type RequestOptions, request } from './request.ts'

export interface App {
  readonly appId: string
  readonly name: string
  readonly appKey: string
  /** Missing for who may only look. */
  readonly masterKey?: string
  readonly hookKey?: string
  readonly ownerEmail: string | null
  /** Base URLs of its files on hosts of this server other than the console's, each with its trailing slash */
  readonly fileUrls: readonly string[]
  /** ISO */
  readonly createdAt: string
}

/** The apps that the administrator may see. */
export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async ({ signal }) => (await request<{ apps: App[] }>('GET', '/admin/apps', { signal })).apps,
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
  return request<T>(method, `${path`/admin/apps/${appId}/api`}${apiPath}`, options)
}
