import { queryOptions } from '@tanstack/react-query'
import type { ClassDescription } from './answers.ts'
import { request } from './request.ts'

export type { ClassDescription }

/** A column: its type and other schema options. */
export type Field = ClassDescription['fields'][string]

/** Returns the query options for the classes of an app. */
export function classesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'classes'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/classes', { params: { appId }, signal })).classes,
  })
}

export function classNamesQuery(appId: string) {
  return {
    ...classesQuery(appId),
    select: (classes: readonly ClassDescription[]) => classes.map(({ className }) => className),
  }
}
