import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'
import type { JobState } from './health-search.ts'

/** The state of a node. Sizes in bytes, latencies in milliseconds. */
export type Health = Answers['GET /admin/health']

export type AppSize = Health['apps'][number]

export type CountedRoute = Health['routes'][number]

export type SlowRequest = Health['slow'][number]

/** The measurements of a node in one interval; rates per second. */
export type HistoryPoint = Answers['GET /admin/health/history']['points'][number]

export type Range = 'day' | 'week'

/** The time range in milliseconds, and the interval of a point in seconds. */
const RANGES = { day: { back: 86_400_000, step: 300 }, week: { back: 7 * 86_400_000, step: 1800 } } as const

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => request('GET', '/admin/health', { signal }),
  refetchInterval: 5_000,
})

export function historyQuery(range: Range) {
  const { back, step } = RANGES[range]
  return queryOptions({
    queryKey: ['health', 'history', range],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - back).toISOString()
      return (await request('GET', '/admin/health/history', { query: { from, step }, signal })).points
    },
    // A server that has just started writes its first row within seconds.
    refetchInterval: ({ state }) => (state.data?.length ? 60_000 : 5_000),
    placeholderData: keepPreviousData,
  })
}

export type Job = JobList['jobs'][number]

export type JobList = Answers['GET /admin/jobs']

export function jobsQuery(state: JobState) {
  return queryOptions({
    queryKey: ['health', 'jobs', state],
    queryFn: ({ signal }) => request('GET', '/admin/jobs', { query: { state }, signal }),
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  })
}

export function retryJob(id: number): Promise<unknown> {
  return request('POST', '/admin/jobs/{id}/retry', { params: { id: String(id) }, body: {} })
}

export function discardJob(id: number): Promise<unknown> {
  return request('DELETE', '/admin/jobs/{id}', { params: { id: String(id) } })
}

/** An alert; `problem` is a notice of the server. */
export type CurrentAlert = Answers['GET /admin/alerts']['alerts'][number]

export const alertsQuery = queryOptions({
  queryKey: ['health', 'alerts'],
  queryFn: async ({ signal }) => (await request('GET', '/admin/alerts', { signal })).alerts,
  refetchInterval: 15_000,
})

export function sendTestAlert(): Promise<Answers['POST /admin/alerts/test']> {
  return request('POST', '/admin/alerts/test', { body: {} })
}

export type LogLine = Answers['GET /admin/log']['lines'][number]

export const logQuery = queryOptions({
  queryKey: ['health', 'log'],
  queryFn: ({ signal }) => request('GET', '/admin/log', { signal }),
  refetchInterval: 5_000,
})

export type Finding = Answers['POST /admin/doctor']['findings'][number]

export type FindingLevel = Finding['level']

/** Runs the checks when the tab is opened, and again only on request. */
export const findingsQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => request('POST', '/admin/doctor', { body: {}, signal }),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})
