import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { TemporaryConversation as Temporary } from '../../api/answers.ts'
import { path, request } from '../../api/request.ts'
import type { OpenApp } from '../../api/use-app.ts'
import { isDate } from '../data/values/typed-value.ts'
import type { ShownKind } from './conversation-search.ts'

type Kind = 'normal' | 'room' | 'system' | 'temporary'

/** The API path of each kind. */
export const ROOTS = {
  normal: '/1.2/rtm/conversations',
  room: '/1.2/rtm/chatrooms',
  system: '/1.2/rtm/service-conversations',
} as const

export interface Conversation {
  readonly id: string
  readonly kind: Kind
  readonly name: string | null
  readonly members: readonly string[]
  readonly creator: string | null
  /** ISO */
  readonly createdAt: string
  /** ISO; null without messages, or when unknown */
  readonly lastMessageAt: string | null
  /** ISO; null except for temporary ones */
  readonly expiresAt: string | null
  /** The whole stored record. */
  readonly record: { readonly [name: string]: unknown }
}

/** The search of the list; empty texts are ignored. */
export interface Search {
  readonly kind: ShownKind
  readonly name: string
  readonly member: string
  readonly sort: 'created' | 'active'
}

const PAGE = 50

interface StoredConversation {
  readonly objectId: string
  readonly createdAt: string
  readonly name?: unknown
  readonly m?: unknown
  readonly c?: unknown
  readonly tr?: unknown
  readonly sys?: unknown
  readonly lm?: unknown
  readonly [name: string]: unknown
}

/** Returns the query options for the matching conversations, page by page. */
export function conversationsQuery(app: OpenApp, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      search.kind === 'temporary'
        ? temporaryPage(app.appId, search.member, pageParam, signal)
        : storedPage(app, search, pageParam, signal),
    initialPageParam: null as Conversation | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page.at(-1)!),
  })
}

/** @throws Problem 404 */
export function conversationQuery(app: OpenApp, id: string) {
  return queryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'one', id],
    queryFn: async ({ signal }) =>
      id.startsWith('_tmp:')
        ? ofTemporary(
            await request('GET', '/admin/apps/{appId}/temporary-conversations/{convId}', {
              params: { appId: app.appId, convId: id },
              signal,
            }),
          )
        : ofStored(await app.call<StoredConversation>('GET', path`/1.1/classes/_Conversation/${id}`, { signal })),
  })
}

async function storedPage(app: OpenApp, search: Search, after: Conversation | null, signal: AbortSignal) {
  const { results } = await app.call<{ results: StoredConversation[] }>('GET', '/1.1/classes/_Conversation', {
    query: {
      where: { $and: [...conditionsOf(search), ...(after ? beyond(search.sort, after) : [])] },
      order: search.sort === 'active' ? '-lm' : '-createdAt',
      limit: PAGE,
    },
    signal,
  })
  return results.map(ofStored)
}

async function temporaryPage(appId: string, member: string, after: Conversation | null, signal: AbortSignal) {
  const { conversations } = await request('GET', '/admin/apps/{appId}/temporary-conversations', {
    params: { appId },
    query: {
      limit: String(PAGE),
      member: member || undefined,
      ...(after && { afterTime: String(Date.parse(after.expiresAt!)), afterId: after.id }),
    },
    signal,
  })
  return conversations.map(ofTemporary)
}

type Condition = { readonly [name: string]: unknown }

function conditionsOf({ kind, name, member, sort }: Search): Condition[] {
  const conditions: Condition[] = []
  if (kind === 'normal' || kind === 'pair') conditions.push({ tr: { $ne: true } }, { sys: { $ne: true } })
  if (kind === 'pair') conditions.push({ m: { $size: 2 } })
  if (kind === 'room') conditions.push({ tr: true }, { sys: { $ne: true } })
  if (kind === 'system') conditions.push({ sys: true })
  if (name) conditions.push({ name: { $regex: name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' } })
  if (member) conditions.push({ m: member })
  if (sort === 'active') conditions.push({ lm: { $exists: true } })
  return conditions.length > 0 ? conditions : [{}]
}

/**
 * Returns the condition for the conversations after a given one in the list: a range of the index, and those of the same time by
 * id.
 */
function beyond(sort: Search['sort'], { id, createdAt, lastMessageAt }: Conversation): Condition[] {
  const [field, iso] = sort === 'active' ? ['lm', lastMessageAt!] : ['createdAt', createdAt]
  const date = { __type: 'Date', iso }
  return [{ [field]: { $lte: date } }, { $or: [{ [field]: { $lt: date } }, { objectId: { $lt: id } }] }]
}

function ofStored(record: StoredConversation): Conversation {
  return {
    id: record.objectId,
    kind: record.sys === true ? 'system' : record.tr === true ? 'room' : 'normal',
    name: typeof record.name === 'string' ? record.name : null,
    members: Array.isArray(record.m) ? record.m.filter((member) => typeof member === 'string') : [],
    creator: typeof record.c === 'string' ? record.c : null,
    createdAt: record.createdAt,
    lastMessageAt: isDate(record.lm) ? record.lm.iso : null,
    expiresAt: null,
    record,
  }
}

function ofTemporary({ id, members, creator, createdAt, expiresAt }: Temporary): Conversation {
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return {
    id,
    kind: 'temporary',
    name: null,
    members,
    creator,
    lastMessageAt: null,
    ...times,
    record: { members, creator, ...times },
  }
}
