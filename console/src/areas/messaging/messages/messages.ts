import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Answers } from '../../../api/answers.ts'
import { path, request } from '../../../api/request.ts'
import type { OpenApp } from '../../../api/use-app.ts'
import { type Conversation, ROOTS } from '../conversations.ts'

/** A stored message. Times in milliseconds. */
export type Message = Answers['GET /admin/apps/{appId}/conversations/{convId}/messages']['messages'][number]

const PAGE = 50
/** Polling interval of new messages, in milliseconds. */
const LIVE = 2000
/** Beyond this number of pages, the newest messages are far from the visible ones. */
const LIVE_PAGES = 3

/**
 * Returns the query options for the messages, newest first, page by page. Polled while the page is visible, so that new, edited
 * and recalled messages appear.
 * @param client the subscriber of a service conversation whose messages are included
 */
export function messagesQuery(app: OpenApp, convId: string, client: string) {
  return infiniteQueryOptions({
    queryKey: ['apps', app.appId, 'conversations', 'messages', convId, client],
    queryFn: async ({ pageParam, signal }) => {
      const { messages } = await request('GET', '/admin/apps/{appId}/conversations/{convId}/messages', {
        params: { appId: app.appId, convId },
        query: { limit: String(PAGE), before: pageParam ?? undefined, client: client || undefined },
        signal,
      })
      return messages
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : String(page.at(-1)!.timestamp)),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= LIVE_PAGES ? LIVE : false),
  })
}

export function recallMessage(app: OpenApp, { kind, id }: Conversation, message: Message): Promise<unknown> {
  return app.call('PUT', `${rootOf(kind)}${path`/${id}/messages/${message.id}/recall`}`, { body: changeOf(message) })
}

/** @param content the new text of the message */
export function editMessage(
  app: OpenApp,
  { kind, id }: Conversation,
  message: Message,
  content: string,
): Promise<unknown> {
  const body = { ...changeOf(message), message: content }
  return app.call('PUT', `${rootOf(kind)}${path`/${id}/messages/${message.id}`}`, { body })
}

/** Deletes a message from the server only: clients that have it are not notified. */
export async function deleteMessage(app: OpenApp, { kind, id }: Conversation, message: Message): Promise<void> {
  const { from, timestamp, receivers } = message
  const query = { from_client: from, timestamp: String(timestamp) }
  if (kind !== 'system') await app.call('DELETE', `${rootOf(kind)}${path`/${id}/messages/${message.id}`}`, { query })
  else if (receivers.length === 0) await app.call('DELETE', path`/1.2/rtm/broadcasts/${message.id}`)
  // Each receiver has a separate copy.
  else
    for (const receiver of receivers)
      await app.call('DELETE', `${ROOTS.system}${path`/${id}/subscribers/${receiver}/messages/${message.id}`}`, {
        query,
      })
}

export interface NewMessage {
  readonly from: string
  /** A text, or JSON as a text */
  readonly content: string
  /** The subscribers of a service conversation to send to; empty: all. */
  readonly receivers: readonly string[]
}

export function sendMessage(
  app: OpenApp,
  { kind, id }: Conversation,
  { from, content, receivers }: NewMessage,
): Promise<unknown> {
  const isToAll = kind === 'system' && receivers.length === 0
  const body = { from_client: from, message: content, ...(receivers.length > 0 && { to_clients: receivers }) }
  return app.call('POST', `${rootOf(kind)}${path`/${id}`}/${isToAll ? 'broadcasts' : 'messages'}`, { body })
}

function changeOf({ from, timestamp, receivers }: Message) {
  return { from_client: from, timestamp, ...(receivers.length > 0 && { to_clients: receivers }) }
}

/**
 * Returns the API path of a kind. The API of an app does not support temporary conversations, and this page does not offer it.
 */
function rootOf(kind: Conversation['kind']): string {
  return ROOTS[kind === 'temporary' ? 'normal' : kind]
}
