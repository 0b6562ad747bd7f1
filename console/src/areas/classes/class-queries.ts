import { queryOptions } from '@tanstack/react-query'
import { type ClassDescription, classesQuery } from '../../api/classes.ts'
import { queryClient } from '../../api/query-client.ts'
import { path, request } from '../../api/request.ts'

/** An index with its size and use, as the management API lists it. */
export interface Index {
  readonly name: string
  readonly kind: 'sorted' | 'elements' | 'place' | 'class'
  /** Fields; the descending ones have a `-` */
  readonly keys: readonly string[]
  readonly unique: boolean
  readonly madeBy: 'homeport' | 'administrator' | 'class' | null
  /** ISO */
  readonly madeAt: string | null
  readonly bytes: number
  readonly uses: number
  readonly ready: boolean
  /** Of the building, 0 to 1 */
  readonly progress: number | null
}

export interface SlowQuery {
  readonly where: string
  readonly order: string
  readonly times: number
  readonly totalMilliseconds: number
  readonly slowestMilliseconds: number
  readonly lastAt: string
  readonly indexes: readonly {
    readonly keys: string
    readonly ready: boolean
    readonly madeBy: Index['madeBy']
    readonly madeAt: string | null
    readonly progress: number
  }[]
}

/** A change of a class, as `PATCH` takes it; what is left out stays. */
export interface ClassChange {
  readonly fields?: { readonly [name: string]: object }
  readonly permissions?: { readonly [operation: string]: unknown }
  readonly defaultAcl?: ClassDescription['defaultAcl']
  readonly indexes?: readonly { readonly fields: readonly string[]; readonly unique: boolean }[]
}

const INDEX_INTERVAL = 10_000
const BUILDING_INTERVAL = 2000

export function classPath(appId: string, className: string): string {
  return path`/admin/apps/${appId}/classes/${className}`
}

export function classQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className],
    queryFn: ({ signal }) => request<ClassDescription>('GET', classPath(appId, className), { signal }),
  })
}

/** Looked at often while one is being built. */
export function indexesQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className, 'indexes'],
    queryFn: async ({ signal }) =>
      (await request<{ indexes: Index[] }>('GET', `${classPath(appId, className)}/indexes`, { signal })).indexes,
    refetchInterval: ({ state }) => (state.data?.some(({ ready }) => !ready) ? BUILDING_INTERVAL : INDEX_INTERVAL),
  })
}

export function slowQueriesQuery(appId: string, className: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes', className, 'slow-queries'],
    queryFn: ({ signal }) =>
      request<{ node: string; since: string; queries: SlowQuery[] }>(
        'GET',
        `${classPath(appId, className)}/slow-queries`,
        {
          signal,
        },
      ),
    refetchInterval: INDEX_INTERVAL,
  })
}

/** Changes a class. @throws Problem */
export async function changeClass(appId: string, className: string, change: ClassChange): Promise<void> {
  const body = { ...change }
  const changed = await request<ClassDescription>('PATCH', classPath(appId, className), { body })
  queryClient.setQueryData(classQuery(appId, className).queryKey, changed)
  await forgetClasses(appId)
}

/** To be called when a class has changed: what is known of all classes is asked for anew. */
export async function forgetClasses(appId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: classesQuery(appId).queryKey })
}
