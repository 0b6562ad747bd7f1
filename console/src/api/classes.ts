import { queryOptions } from '@tanstack/react-query'
import { path, request } from './request.ts'

/** A column: its type, and what else the schema says of it. */
export interface Field {
  readonly type: string
  /** Of a pointer or a relation: the class it leads to. */
  readonly className?: string
  readonly [option: string]: unknown
}

export interface ClassDescription {
  readonly className: string
  readonly fields: { readonly [name: string]: Field }
  readonly permissions: { readonly [operation: string]: unknown }
  readonly defaultAcl: { readonly [who: string]: { readonly read?: boolean; readonly write?: boolean } }
  readonly indexes: readonly unknown[]
}

/** The classes of an app. */
export function classesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes'],
    queryFn: async ({ signal }) =>
      (await request<{ classes: ClassDescription[] }>('GET', path`/admin/apps/${appId}/classes`, { signal })).classes,
  })
}

export function classNamesQuery(appId: string) {
  return { ...classesQuery(appId), select: (classes: ClassDescription[]) => classes.map(({ className }) => className) }
}
