import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../api/answers.ts'
import { request } from '../../api/request.ts'
import type { OpenApp } from '../../api/use-app.ts'
import { shownText } from '../../parts/shown-text.ts'

type Json = { readonly [name: string]: unknown }

/** The reason why some devices did not get a push. */
export type Failure = PushResult['failures'][number]

/** The result of a push, as in the list. */
export type PushResult = Answers['GET /admin/apps/{appId}/pushes']['pushes'][number]

/** The result with `givenUp`: devices that can be retried. */
export type OnePush = Answers['GET /admin/apps/{appId}/pushes/{pushId}']

const PAGE = 50
/** Polling interval, in milliseconds. */
const LIVE = 4000

/** Returns the query options for the pushes of the last days, newest first. */
export function pushesQuery(appId: string) {
  return infiniteQueryOptions({
    queryKey: ['apps', appId, 'pushes', 'list'],
    queryFn: async ({ pageParam, signal }) => {
      const after = pageParam ? { afterTime: pageParam.createdAt, afterId: pageParam.id } : {}
      const query = { limit: String(PAGE), ...after }
      return (await request('GET', '/admin/apps/{appId}/pushes', { params: { appId }, query, signal })).pushes
    },
    initialPageParam: null as PushResult | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page.at(-1)!),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 2 ? LIVE : false),
  })
}

export function pushQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: ['apps', appId, 'pushes', 'one', id],
    queryFn: ({ signal }) =>
      request('GET', '/admin/apps/{appId}/pushes/{pushId}', { params: { appId, pushId: id }, signal }),
    refetchInterval: LIVE,
  })
}

export interface Scheduled {
  /** The id for canceling it. */
  readonly id: number
  /** The time it is sent, in milliseconds */
  readonly expire_time: number
  readonly push_msg: {
    readonly prod: string
    readonly msg: Json
    readonly where: { readonly query: Json }
    readonly notificationId: string
  }
}

/** Returns the query options for scheduled pushes. */
export function scheduledQuery(app: OpenApp) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'pushes', 'scheduled'],
    queryFn: async ({ signal }) =>
      (await app.call<{ results: Scheduled[] }>('GET', '/1.1/scheduledPushMessages', { signal })).results,
    refetchInterval: LIVE,
  })
}

export type AudienceCount = Answers['GET /admin/apps/{appId}/pushes/audience']

export type Reach = 'some' | 'none' | 'refused'

/** Returns whether a finished push reached any device: `none` was selected, or all selected ones were `refused`. */
export function reachOf({ status, devices, successes }: Pick<PushResult, 'status' | 'devices' | 'successes'>): Reach {
  if (status !== 'done' || Object.values(successes).some((count) => count > 0)) return 'some'
  return devices === 0 ? 'none' : 'refused'
}

/** Returns the audience of a push for `audienceQuery`; null for a list of tokens. */
export function audienceOfResult({ target }: Pick<PushResult, 'target'>): { readonly where: Json } | null {
  const { valid: _, ...where } = target ?? {}
  return 'device_ids' in where ? null : { where }
}

/** Returns the query options for the number of devices a push would reach. */
export function audienceQuery(
  appId: string,
  { where, channels }: { readonly where: Json; readonly channels?: readonly string[] | undefined },
) {
  return queryOptions({
    queryKey: ['apps', appId, 'pushes', 'audience', where, channels],
    queryFn: ({ signal }) =>
      request('GET', '/admin/apps/{appId}/pushes/audience', {
        params: { appId },
        query: { where, channels },
        signal,
      }),
    retry: false,
  })
}

/** Returns the visible text of a push, shortened to one line. */
export function textOf(data: unknown): string {
  const members = typeof data === 'object' && data !== null ? (data as Json) : {}
  for (const part of [members, members.ios, members.android, ...Object.values(members)]) {
    const alert = typeof part === 'object' && part !== null ? (part as Json).alert : undefined
    if (typeof alert === 'string') return alert
    if (typeof alert === 'object' && alert !== null && typeof (alert as Json).body === 'string')
      return String((alert as Json).body)
  }
  return shownText(data)
}
