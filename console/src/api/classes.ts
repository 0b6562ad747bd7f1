import { queryOptions } from '@tanstack/react-query'
import type { Answers } from './answers.ts'
import { request } from './request.ts'

/** A column: its type, and what else the schema says of it. */
export type Field = ClassDescription['fields'][string]

export type ClassDescription = Answers['GET /admin/apps/{appId}/classes/{className}']

/** The classes of an app. */
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
