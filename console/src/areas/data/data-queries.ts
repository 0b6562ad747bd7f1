import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'
import type { Condition } from './data-search.ts'

/** An object of a class as `find` shows it to administrators. */
export interface DataObject {
  readonly objectId: string
  /** ISO */
  readonly createdAt: string
  readonly updatedAt: string
  readonly ACL: Acl
  readonly [field: string]: unknown
}

export interface Acl {
  /** `*`, the id of a user, or `role:` and the name of a role */
  readonly [who: string]: { readonly read?: boolean; readonly write?: boolean }
}

export interface RowPage {
  readonly results: readonly DataObject[]
  /** Where the next page begins; null: this is the last one */
  readonly next: string | null
}

/** `estimated`: about so many; `atLeast`: more than so many */
export interface RowCount {
  readonly count: number
  readonly kind: 'exact' | 'estimated' | 'atLeast'
}

export const PAGE_SIZE = 100

/** How many objects each class has. */
export function classCountsQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'class-counts'],
    staleTime: 15_000,
    queryFn: async ({ signal }) =>
      (
        await request<{ counts: { [className: string]: RowCount } }>('GET', path`/admin/apps/${appId}/class-counts`, {
          signal,
        })
      ).counts,
  })
}

/** What the pages of a class are kept under, whatever their condition and order. */
export function rowsKey(appId: string, className: string) {
  return ['apps', appId, 'rows', className] as const
}

/** @param after `next` of the page before; null: the first page */
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
      request<RowPage>('POST', path`/admin/apps/${appId}/classes/${className}/find`, {
        body: { where, order, limit, ...(after === null ? {} : { after }) },
        signal,
      }),
  })
}

export function countQuery(appId: string, className: string, where: Condition | undefined) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'count', where],
    staleTime: 15_000,
    // A count that takes too long is not asked for again and again.
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      request<RowCount>('POST', path`/admin/apps/${appId}/classes/${className}/count`, { body: { where }, signal }),
  })
}

/** One object; null when there is none. */
export function objectQuery(appId: string, className: string, objectId: string) {
  return queryOptions({
    queryKey: [...rowsKey(appId, className), 'object', objectId],
    queryFn: async ({ signal }) =>
      (
        await request<RowPage>('POST', path`/admin/apps/${appId}/classes/${className}/find`, {
          body: { where: { objectId }, limit: 1 },
          signal,
        })
      ).results[0] ?? null,
  })
}
