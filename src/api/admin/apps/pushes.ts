import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { retryPushes } from '../../../push/delivery/given-up.ts'
import { listResults, readResult } from '../../../push/delivery/results.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { dateText } from '../../date-text.ts'
import { parseBody } from '../../parse-body.ts'
import { type AdminCall, adminRoute, type Route } from '../../route.ts'

const query = z.strictObject({
  /** The last push of the previous page: its `createdAt`, and its `id`. */
  afterTime: dateText.optional(),
  afterId: z.string().max(128).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

const counts = z.record(z.string(), z.int())
const content = z.record(z.string(), z.unknown())

const result = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  pushAt: z.string().nullable(),
  status: z.string(),
  environment: z.string(),
  service: z.string(),
  data: content,
  target: content,
  devices: z.int(),
  successes: counts,
  failures: z.array(
    z.object({ channel: z.string().nullable(), reason: z.string(), count: z.int() }).meta({ id: 'PushFailure' }),
  ),
})

const givenUp = z
  .object({
    devices: z.int().describe('number of devices whose provider rejected all attempts'),
    brokeOff: z.boolean().describe('whether it ended before all devices were processed'),
  })
  .meta({ id: 'GivenUpDevices' })

/** Results of pushes, by delivery channel and reason of failure. */
export const adminPushes: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/pushes',
    need: 'see',
    summary: 'Lists the pushes of the last days with their results, newest first.',
    query,
    answer: z.object({ pushes: z.array(result) }),
    handler: async (call) => {
      const { afterTime, afterId, limit } = parseBody(query, call.query)
      const after = afterTime === undefined ? null : { createdAt: afterTime, id: afterId }
      const { push } = await appOf(call)
      return ok({ pushes: await listResults(push, { after, limit }) })
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/pushes/:pushId',
    need: 'see',
    summary: 'Returns the result of a push, and for how many devices it failed.',
    answer: result.extend({ givenUp }),
    handler: async (call) => {
      const { push } = await appOf(call)
      const found = await readResult(push, call.params.pushId!)
      if (!found) throw notFound(call)
      return ok(found)
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/pushes/:pushId/retry',
    need: 'change',
    summary: 'Sends a push again, only to the devices for which it failed.',
    answer: givenUp,
    handler: async (call) => {
      const { push } = await appOf(call)
      const found = await retryPushes(push, call.params.pushId!.slice(0, 200))
      if (!found) throw notFound(call)
      return ok(found)
    },
  }),
]

function notFound({ params }: AdminCall): Error {
  return errors.notFound(`Push '${params.pushId!.slice(0, 60)}' not found.`)
}
