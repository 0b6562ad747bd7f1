import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Answers } from '../../../api/answers.ts'
import { path, request } from '../../../api/request.ts'
import type { OpenApp } from '../../../api/use-app.ts'
import { type Conversation, ROOTS } from '../conversations.ts'

export const ROLES = ['Owner', 'Manager', 'Member'] as const
export type Role = (typeof ROLES)[number]

type ConversationRef = Pick<Conversation, 'id' | 'kind'>

/** Returns the path of a conversation in the app's API. */
export function pathOf({ kind, id }: ConversationRef): string {
  return `${ROOTS[kind === 'temporary' ? 'normal' : kind]}${path`/${id}`}`
}

/** Returns the query options for the roles set in a conversation, by client. */
export function rolesQuery(app: OpenApp, conversation: ConversationRef) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'roles', conversation.id],
    queryFn: async ({ signal }) => {
      const { results } = await app.call<{ results: { clientId: string; role: Role }[] }>(
        'GET',
        `${pathOf(conversation)}/member-infos`,
        { query: { limit: '1000' }, signal },
      )
      return new Map(results.map(({ clientId, role }) => [clientId, role]))
    },
  })
}

export type Silence = Answers['GET /admin/apps/{appId}/conversations/{convId}/silences']['silences'][number]

const PAGE = 100

/** Returns the query options for the silenced clients. */
export function silencesQuery(app: OpenApp, { id }: ConversationRef) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'silences', id],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: String(PAGE), after: pageParam }
      return (
        await request('GET', '/admin/apps/{appId}/conversations/{convId}/silences', {
          params: { appId: app.appId, convId: id },
          query,
          signal,
        })
      ).silences
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? null : page.at(-1)!.clientId),
  })
}

/** Returns the query options for the blocked clients. */
export function blocksQuery(app: OpenApp, conversation: ConversationRef) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'blocks', conversation.id],
    queryFn: ({ pageParam, signal }) =>
      app.call<{ client_ids: string[]; next?: string }>('GET', `${pathOf(conversation)}/blacklists`, {
        query: { limit: String(PAGE), next: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? null,
  })
}

export interface Subscriber {
  readonly subscriber: string
  /** Milliseconds */
  readonly timestamp: number
}

const SUBSCRIBERS = 50

/** Returns the query options for the subscribers of a service conversation. */
export function subscribersQuery(app: OpenApp, conversation: ConversationRef) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'subscribers', conversation.id],
    queryFn: ({ pageParam, signal }) =>
      app.call<Subscriber[]>('GET', `${pathOf(conversation)}/subscribers`, {
        query: { limit: String(SUBSCRIBERS), client_id: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < SUBSCRIBERS ? null : page.at(-1)!.subscriber),
  })
}

export function subscriberCountQuery(app: OpenApp, conversation: ConversationRef) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'subscriberCount', conversation.id],
    queryFn: async ({ signal }) =>
      (await app.call<{ count: number }>('GET', `${pathOf(conversation)}/subscribers/count`, { signal })).count,
  })
}

/** Returns the query options for the number of clients in a chat room, and some of them. */
export function participantsQuery(app: OpenApp, conversation: ConversationRef) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'participants', conversation.id],
    queryFn: async ({ signal }) => {
      const path = pathOf(conversation)
      const [some, count] = await Promise.all([
        app.call<{ result: string[] }>('GET', `${path}/members`, { signal }),
        app.call<{ result: number }>('GET', `${path}/members/online-count`, { signal }),
      ])
      return { some: some.result, count: count.result }
    },
    refetchInterval: 5000,
  })
}
