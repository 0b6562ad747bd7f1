import { z } from 'zod'
import { listSilences } from '../../../../messaging/moderation/listed-silences.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const query = z.strictObject({
  /** The last client of the previous page. */
  after: z.string().max(64).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(100),
})

const answer = z.object({
  /** `until` in milliseconds; null: until it is lifted. */
  silences: z.array(z.object({ clientId: z.string(), until: z.int().nullable() })),
})

/** GET /admin/apps/:appId/conversations/:convId/silences — returns the silenced clients of a conversation, and until when. */
export const adminSilences = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/conversations/:convId/silences',
  need: 'see',
  summary: 'Lists the silenced clients of a conversation, with the times when their silences end.',
  query,
  answer,
  handler: async (call) => {
    const page = parseBody(query, call.query)
    const { messaging } = await appOf(call)
    return ok({ silences: await listSilences(messaging, call.params.convId!, page) })
  },
})
