import { z } from 'zod'
import { listTemporary } from '../../../messaging/conversations/list-temporary.ts'
import { findTemporary } from '../../../messaging/conversations/temporary-conversations.ts'
import { messagingErrors } from '../../../messaging/messaging-errors.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route } from '../../route.ts'

const query = z.strictObject({
  /** Only conversations with this member. */
  member: z.string().min(1).max(64).optional(),
  /** The last conversation of the previous page: its `expiresAt`, and its `id`. */
  afterTime: z.coerce.number().int().min(0).optional(),
  afterId: z.string().max(128).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** Times in milliseconds. */
const conversation = z
  .object({
    id: z.string(),
    members: z.array(z.string()),
    creator: z.string(),
    createdAt: z.int(),
    expiresAt: z.int(),
  })
  .meta({ id: 'TemporaryConversation' })

/** Temporary conversations. They expire automatically, and the API of an app returns them only by id. */
export const temporaryConversations: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/temporary-conversations',
    need: 'see',
    summary: 'Lists the temporary conversations that have not ended, the last to end first.',
    query,
    answer: z.object({ conversations: z.array(conversation) }),
    handler: async (call) => {
      const { member = null, afterTime, afterId, limit } = parseBody(query, call.query)
      const after = afterTime === undefined ? null : { expiresAt: afterTime, id: afterId }
      const { messaging } = await appOf(call)
      return ok({ conversations: await listTemporary(messaging, { member, after, limit }) })
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/temporary-conversations/:convId',
    need: 'see',
    summary: 'Returns a temporary conversation that has not ended.',
    answer: conversation,
    handler: async (call) => {
      const { messaging } = await appOf(call)
      const [found] = await findTemporary(messaging, [call.params.convId!])
      if (!found) throw messagingErrors.conversationNotFound(call.params.convId!)
      return ok(found)
    },
  }),
]
