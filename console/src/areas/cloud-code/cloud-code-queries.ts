import { queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'

export interface Engine {
  readonly url: string
  readonly answers: boolean
  readonly functions: readonly string[]
  readonly hooks: readonly string[]
}

interface Failure {
  readonly at: string
  readonly hook: string
  readonly reason: string
}

export interface Engines {
  readonly production: Engine | null
  readonly staging: Engine | null
  readonly failures: readonly Failure[]
  /** Whose failures these are. */
  readonly node: string
}

export interface Schedule {
  readonly name: string
  readonly function: string
  readonly nextRunAt: string | null
  readonly lastRunAt: string | null
  readonly lastOutcome: { readonly status: number; readonly error: string | null; readonly endedAt: string } | null
  readonly disabledAt: string | null
}

export interface Task {
  readonly id: string
  readonly function: string
  readonly status: string
  readonly runAt: string | null
  readonly finishedAt: string | null
  readonly failures: number
  readonly error: string | null
}

export interface LiveQueryCount {
  readonly className: string
  readonly queries: number
  readonly subscribers: number
}

export interface Ran {
  readonly status: number
  readonly answer: object
  readonly milliseconds: number
}

const REFRESHED = { refetchInterval: 10_000 } as const

export function engineQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'engine'],
    queryFn: ({ signal }) => request<Engines>('GET', path`/admin/apps/${appId}/engine`, { signal }),
    ...REFRESHED,
  })
}

export function schedulesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'schedules'],
    queryFn: async ({ signal }) =>
      (await request<{ schedules: Schedule[] }>('GET', path`/admin/apps/${appId}/schedules`, { signal })).schedules,
    ...REFRESHED,
  })
}

export function tasksQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'tasks'],
    queryFn: async ({ signal }) =>
      (await request<{ tasks: Task[] }>('GET', path`/admin/apps/${appId}/tasks`, { signal })).tasks,
    ...REFRESHED,
  })
}

export function liveQueriesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'live-queries'],
    queryFn: async ({ signal }) =>
      (await request<{ classes: LiveQueryCount[] }>('GET', path`/admin/apps/${appId}/live-queries`, { signal }))
        .classes,
    ...REFRESHED,
  })
}

export function refreshEngines(appId: string): Promise<unknown> {
  return request('POST', path`/admin/apps/${appId}/engine/refresh`, { body: {} })
}

export function runFunction(
  appId: string,
  name: string,
  asked: { readonly parameters: unknown; readonly production: boolean; readonly sessionToken?: string | undefined },
): Promise<Ran> {
  return request('POST', path`/admin/apps/${appId}/engine/functions/${name}`, { body: asked })
}
