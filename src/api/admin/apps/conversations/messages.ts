import { z } from 'zod'
import { receiversOf } from '../../../../messaging/history/history-item.ts'
import type { Message } from '../../../../messaging/message.ts'
import { readHistory } from '../../../../messaging/messages/history.ts'
import { threadsFor } from '../../../../messaging/messages/threads.ts'
import { findConversation } from '../../../../messaging/records/conversation-state.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const query = z.strictObject({
  /** Only messages sent before this time, in milliseconds. */
  before: z.coerce.number().int().min(0).optional(),
  /** In a system conversation: includes the messages to this subscriber only. */
  client: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

const answer = z.object({
  messages: z.array(
    z.object({
      id: z.string(),
      timestamp: z.int(),
      from: z.string(),
      /** The subscribers of a system conversation that are its only receivers. */
      receivers: z.array(z.string()),
      content: z.string(),
      binary: z.boolean(),
      mentionsAll: z.boolean(),
      mentions: z.array(z.string()),
      editedAt: z.int().nullable(),
      recalled: z.boolean(),
      ip: z.string().nullable(),
    }),
  ),
})

/** GET /admin/apps/:appId/conversations/:convId/messages — returns the messages of a conversation of any kind, newest first. */
export const adminConversationMessages = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/conversations/:convId/messages',
  need: 'see',
  summary: 'Lists the messages of a conversation of any kind, newest first.',
  query,
  answer,
  handler: async (call) => {
    const { before, client, limit } = parseBody(query, call.query)
    const { messaging } = await appOf(call)
    const { id, kind } = await findConversation(messaging, call.params.convId!)
    const page = {
      source: { threads: client === undefined ? [id] : threadsFor(kind, id, client) },
      from: before === undefined ? null : { ts: before, id: null, included: false },
      to: null,
      ascending: false,
      limit,
      type: null,
    }
    const messages = await readHistory(messaging, page)
    const receivers = await receiversOf(messaging, kind === 'system' ? messages : [])
    return ok({ messages: messages.map((message) => shown(message, receivers(message))) })
  },
})

function shown(message: Message, receivers: readonly string[]): z.infer<typeof answer>['messages'][number] {
  const { id, ts, sender, content, bin, mentionAll, mentions, recalled, ip } = message
  return {
    id,
    timestamp: ts,
    from: sender,
    receivers: [...receivers],
    content,
    binary: bin,
    mentionsAll: mentionAll,
    mentions: [...mentions],
    editedAt: recalled ? null : message.patchedAt,
    recalled,
    ip,
  }
}
