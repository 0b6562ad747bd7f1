import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Answers, RowCount } from '../../api/answers.ts'
import { request } from '../../api/request.ts'
import type { Condition } from './data-search.ts'

export type { RowCount }

/** An object of a class, as `find` returns it to administrators. */
export type DataObject = RowPage['results'][number]

/** By `*`, the id of a user, or `role:` and the name of a role. */
export type Acl = DataObject['ACL']

/** `next`: the position of the next page; null: this is the last one. */
export type RowPage = Answers['POST /admin/apps/{appId}/classes/{className}/find']

/** `estimated`: approximate; `atLeast`: there are more */

export const PAGE_SIZE = 100

/** Returns the query options for the number of objects of each class. */
export function classCountsQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'class-counts'],
    staleTime: 15_000,
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/class-counts', { params: { appId }, signal })).counts,
  })
}

/** Returns the cache key of the pages of a class, for any condition and order. */
export function rowsKey(appId: string, className: string) {
  return ['apps', appId, 'rows', className] as const
}

/** @param after `next` of the previous page; null: the first page */
export function rowPageQuery(
  appId: string,
  className: string,
  where: Condition | undefined,
  order: string,
  after: string | null,
  limit = PAGE_SIZE,
) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'page', { where, order, after, limit }],
    gcTime: 60_000,
    queryFn: ({ signal }) =>
      request('POST', '/admin/apps/{appId}/classes/{className}/find', {
        params: { appId, className },
        body: { where, order, limit, ...(after === null ? {} : { after }) },
        signal,
      }),
  })
}

export function countQuery(appId: string, className: string, where: Condition | undefined) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'count', where],
    staleTime: 15_000,
    // A count that times out is not repeated.
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      request('POST', '/admin/apps/{appId}/classes/{className}/count', {
        params: { appId, className },
        body: { where },
        signal,
      }),
  })
}

/** Returns the query options for one object; null when it does not exist. */
export function objectQuery(appId: string, className: string, objectId: string) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'object', objectId],
    queryFn: async ({ signal }) =>
      (
        await request('POST', '/admin/apps/{appId}/classes/{className}/find', {
          params: { appId, className },
          body: { where: { objectId }, limit: 1 },
          signal,
        })
      ).results[0] ?? null,
  })
}
