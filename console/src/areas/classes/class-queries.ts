import { queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../api/answers.ts'
import { type ClassDescription, classesQuery } from '../../api/classes.ts'
import { queryClient } from '../../api/query-client.ts'
import { request } from '../../api/request.ts'

/** An index with its size and usage. */
export type Index = Answers['GET /admin/apps/{appId}/classes/{className}/indexes']['indexes'][number]

export type SlowQuery = Answers['GET /admin/apps/{appId}/classes/{className}/slow-queries']['queries'][number]

/** A change of a class, as accepted by `PATCH`; omitted members stay. */
export interface ClassChange {
  readonly fields?: { readonly [name: string]: object }
  readonly permissions?: { readonly [operation: string]: unknown }
  readonly defaultAcl?: ClassDescription['defaultAcl']
  readonly indexes?: readonly { readonly fields: readonly string[]; readonly unique: boolean }[]
}

const INDEX_INTERVAL = 10_000
const BUILDING_INTERVAL = 2000

export function classQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className],
    queryFn: ({ signal }) =>
      request('GET', '/admin/apps/{appId}/classes/{className}', { params: { appId, className }, signal }),
  })
}

/** Returns the query options for the indexes of a class, polled frequently during a build. */
export function indexesQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className, 'indexes'],
    queryFn: async ({ signal }) =>
      (
        await request('GET', '/admin/apps/{appId}/classes/{className}/indexes', {
          params: { appId, className },
          signal,
        })
      ).indexes,
    refetchInterval: ({ state }) => (state.data?.some(({ ready }) => !ready) ? BUILDING_INTERVAL : INDEX_INTERVAL),
  })
}

export function slowQueriesQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className, 'slow-queries'],
    queryFn: ({ signal }) =>
      request('GET', '/admin/apps/{appId}/classes/{className}/slow-queries', {
        params: { appId, className },
        signal,
      }),
    refetchInterval: INDEX_INTERVAL,
  })
}

/** Changes a class. @throws Problem */
export async function changeClass(appId: string, className: string, change: ClassChange): Promise<void> {
  const body = { ...change }
  const changed = await request('PATCH', '/admin/apps/{appId}/classes/{className}', {
    params: { appId, className },
    body,
  })
  queryClient.setQueryData(classQuery(appId, className).queryKey, changed)
  await forgetClasses(appId)
}

/** Reloads the data of all classes. Must be called after a class has changed. */
export async function forgetClasses(appId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: classesQuery(appId).queryKey })
}
