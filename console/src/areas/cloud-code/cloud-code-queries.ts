import { queryOptions } from '@tanstack/react-query'
import type { Answers, Bodies } from '../../api/answers.ts'
import { request } from '../../api/request.ts'

export type Engine = NonNullable<Engines['production']>

export type Engines = Answers['GET /admin/apps/{appId}/engine']

export type Schedule = Answers['GET /admin/apps/{appId}/schedules']['schedules'][number]

export type Task = Answers['GET /admin/apps/{appId}/tasks']['tasks'][number]

export type Ran = Answers['POST /admin/apps/{appId}/engine/functions/{name}']

const REFRESHED = { refetchInterval: 10_000 } as const

export function engineQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'engine'],
    queryFn: ({ signal }) => request('GET', '/admin/apps/{appId}/engine', { params: { appId }, signal }),
    ...REFRESHED,
  })
}

export function schedulesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'schedules'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/schedules', { params: { appId }, signal })).schedules,
    ...REFRESHED,
  })
}

export function tasksQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'tasks'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/tasks', { params: { appId }, signal })).tasks,
    ...REFRESHED,
  })
}

export function liveQueriesQuery(appId: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'live-queries'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/admin/apps/{appId}/live-queries', { params: { appId }, signal })).classes,
    ...REFRESHED,
  })
}

export function refreshEngines(appId: string): Promise<unknown> {
  return request('POST', '/admin/apps/{appId}/engine/refresh', { params: { appId }, body: {} })
}

export function runFunction(
  appId: string,
  name: string,
  body: Bodies['POST /admin/apps/{appId}/engine/functions/{name}'],
): Promise<Ran> {
  return request('POST', '/admin/apps/{appId}/engine/functions/{name}', { params: { appId, name }, body })
}
