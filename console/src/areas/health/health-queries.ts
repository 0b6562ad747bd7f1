import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'
import type { JobState } from './routes.ts'

/** How a node is at the moment. Sizes in bytes, latencies in milliseconds. */
export interface Health {
  readonly node: string
  readonly startedAt: string
  readonly runtime: string
  readonly redis: 'connected' | 'disconnected' | null
  readonly state: {
    readonly httpConnections: number
    readonly websockets: number
    readonly waiting: number
    readonly memory: number
    readonly diskFree: number
    readonly diskTotal: number
  }
  readonly database: {
    readonly size: number
    readonly cacheHits: number | null
    readonly dueJobs: number
    readonly failedJobs: number
  }
  readonly apps: readonly AppSize[]
  readonly routes: readonly CountedRoute[]
  readonly slow: readonly SlowRequest[]
}

export interface AppSize {
  readonly appId: string
  readonly bytes: number
  readonly before: { readonly at: string; readonly bytes: number } | null
}

export interface CountedRoute {
  readonly method: string
  readonly route: string
  readonly requests: number
  readonly failed: number
  readonly p50: number | null
  readonly p99: number | null
  readonly seconds: number
}

export interface SlowRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  readonly at: string
}

/** What a node measured in a step of time; rates a second. */
export interface HistoryPoint {
  readonly at: string
  readonly node: string
  readonly requests: number
  readonly refused: number
  readonly failed: number
  readonly p50: number | null
  readonly p99: number | null
  readonly cacheHits: number | null
  readonly busy: number
  readonly httpConnections: number
  readonly websockets: number
  readonly waiting: number
  readonly dueJobs: number
  readonly memory: number
  readonly databaseSize: number
  readonly diskFree: number
}

export type Range = 'day' | 'week'

/** Milliseconds to look back, and seconds that are put together to one point. */
const RANGES = { day: { back: 86_400_000, step: 300 }, week: { back: 7 * 86_400_000, step: 1800 } } as const

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => request<Health>('GET', '/admin/health', { signal }),
  refetchInterval: 5_000,
})

export function historyQuery(range: Range) {
  const { back, step } = RANGES[range]
  return queryOptions({
    queryKey: ['health', 'history', range],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - back).toISOString()
      return (
        await request<{ points: HistoryPoint[] }>('GET', '/admin/health/history', { query: { from, step }, signal })
      ).points
    },
    // A server that has just started writes its first row within seconds.
    refetchInterval: ({ state }) => (state.data?.length ? 60_000 : 5_000),
    placeholderData: keepPreviousData,
  })
}

export interface Job {
  readonly id: number
  readonly kind: string
  readonly state: JobState
  readonly appId: string | null
  readonly attempts: number
  readonly error: string | null
  readonly at: string
}

export interface JobList {
  readonly counts: readonly { readonly kind: string; readonly state: JobState; readonly count: number }[]
  readonly jobs: readonly Job[]
}

export function jobsQuery(state: JobState) {
  return queryOptions({
    queryKey: ['health', 'jobs', state],
    queryFn: ({ signal }) => request<JobList>('GET', '/admin/jobs', { query: { state }, signal }),
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  })
}

export function retryJob(id: number): Promise<unknown> {
  return request('POST', path`/admin/jobs/${String(id)}/retry`, { body: {} })
}

export function discardJob(id: number): Promise<unknown> {
  return request('DELETE', path`/admin/jobs/${String(id)}`)
}

export interface LogLine {
  readonly number: number
  readonly text: string
}

export const logQuery = queryOptions({
  queryKey: ['health', 'log'],
  queryFn: ({ signal }) => request<{ node: string; lines: LogLine[] }>('GET', '/admin/log', { signal }),
  refetchInterval: 5_000,
})
