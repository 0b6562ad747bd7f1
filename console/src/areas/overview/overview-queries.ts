import { queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'

/** Returns the query options for the amount of data in an app. */
export function figuresQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'figures'],
    queryFn: ({ signal }) => request('GET', '/admin/apps/{appId}/figures', { params: { appId }, signal }),
  })
}

/** A line of the audit log. */
export type Change = Answers['GET /admin/audit']['changes'][number]

/** Returns the query options for the latest changes of an app. */
export function recentChangesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'recent-changes'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/audit', { query: { app: appId, limit: '8' }, signal })).changes,
  })
}
