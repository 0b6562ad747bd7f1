import { queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'

/** How much an app holds. */
export interface Figures {
  readonly classes: number
  readonly objects: number
  readonly users: number
  readonly devices: number
  readonly conversations: number
  readonly messages: number
  readonly files: number
  readonly bytes: number
  /** Names of the figures that are estimates */
  readonly estimated: readonly string[]
  /** Where clients reach the server */
  readonly serverUrl: string
}

export function figuresQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'figures'],
    queryFn: ({ signal }) => request<Figures>('GET', path`/admin/apps/${appId}/figures`, { signal }),
  })
}

/** A line of the audit log. */
export interface Change {
  readonly id: number
  /** ISO */
  readonly at: string
  /** null: the administrator's token */
  readonly name: string | null
  readonly method: string
  readonly path: string
  readonly members: readonly string[]
  /** Of HTTP; null: it is going on, or the server ended meanwhile */
  readonly status: number | null
}

/** The latest changes to an app. */
export function recentChangesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'recent-changes'],
    queryFn: async ({ signal }) =>
      (await request<{ changes: Change[] }>('GET', '/admin/audit', { query: { app: appId, limit: '8' }, signal }))
        .changes,
  })
}
