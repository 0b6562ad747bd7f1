import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { path, request } from '../../api/request.ts'
import type { OpenApp } from '../../api/use-app.ts'

/** Polling interval of the online state, in milliseconds. */
const LIVE = 5000

/** Returns the query options for the online state of some clients, at most 100. */
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

/** Returns the query options for all online clients, page by page. */
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

/** Returns the query options for the number of clients online now and today. */
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

/**
 * Ends all sessions of a client.
 * @param reason sent to the client; at most 20 characters
 */
export function kick(app: OpenApp, clientId: string, reason: string): Promise<unknown> {
  return app.call('POST', path`/1.2/rtm/clients/${clientId}/kick`, { body: reason ? { reason } : {} })
}
