import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'
import type { OpenApp } from '../../api/use-app.ts'

/** Milliseconds between two looks at who is there. */
const LIVE = 5000

/** Which of some clients are online; at most 100 are asked for. */
export function onlineQuery(appId: string, clientIds: readonly string[]) {
  const ids = [...clientIds].sort().slice(0, 100)
  return queryOptions({
    queryKey: ['apps', appId, 'clients', 'online', ids],
    queryFn: async ({ signal }) => {
      const query = { ids: JSON.stringify(ids) }
      return (await request('GET', '/admin/apps/{appId}/clients/online', { params: { appId }, query, signal })).online
    },
    enabled: ids.length > 0,
    refetchInterval: LIVE,
  })
}

const PAGE = 50

/** All clients that are online, a page behind the other. */
export function onlineClientsQuery(appId: string) {
  return infiniteQueryOptions({
    queryKey: ['apps', appId, 'clients', 'list'],
    queryFn: ({ pageParam: after, signal }) =>
      request('GET', '/admin/apps/{appId}/clients', {
        params: { appId },
        query: { limit: String(PAGE), ...(after !== null && { after }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ clients }) => (clients.length < PAGE ? null : clients.at(-1)!),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 2 ? LIVE : false),
  })
}

/** How many clients are online, and how many were here today. */
export function statisticsQuery(app: OpenApp) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'clients', 'statistics'],
    queryFn: async ({ signal }) => {
      const { result } = await app.call<{ result: { online_user_count: number; user_count_today: number } }>(
        'GET',
        '/1.2/rtm/stats',
        { signal },
      )
      return { online: result.online_user_count, today: result.user_count_today }
    },
    refetchInterval: LIVE,
  })
}

/** Ends all sessions of a client. @param reason what the client is told; at most 20 characters */
export function kick(app: OpenApp, clientId: string, reason: string): Promise<unknown> {
  return app.call('POST', path`/1.2/rtm/clients/${clientId}/kick`, { body: reason ? { reason } : {} })
}
