import { z } from 'zod'
import { withDates } from '../../../../objects/where/with-dates.ts'
import { audienceOf } from '../../../../push/installations/audience.ts'
import { isDateField } from '../../../../push/installations/targets.ts'
import { channelsIn, whereIn } from '../../../../push/request/parse-where.ts'
import { parseJson } from '../../../../values/json.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const query = z.strictObject({
  /** JSON: a condition on installations, as for `POST /1.1/push`. */
  where: z.string().max(14_000).default('{}'),
  /** A JSON list of push channels. */
  channels: z.string().max(14_000).optional(),
})

const answer = z.object({
  devices: z.int(),
  isMore: z.boolean(),
  byType: z.record(z.string(), z.int()),
  unreachable: z
    .object({
      invalid: z.int().describe('Devices whose `valid` is not true'),
      inactive: z.int().describe('Valid devices without activity for 90 days'),
    })
    .optional()
    .describe('If no device would receive it: matching devices that receive nothing'),
})

/** GET /admin/apps/:appId/pushes/audience — counts the devices that a push would reach. */
export const pushAudience = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/pushes/audience',
  // Requires `change`, because repeated conditions reveal values of fields, including those hidden from readers.
  need: 'change',
  summary: 'Counts the devices that would receive a push, up to 100,000.',
  query,
  answer,
  handler: async (call) => {
    const { where, channels } = parseBody(query, call.query)
    const { push } = await appOf(call)
    const listed = channels === undefined ? [] : channelsIn({ channels: parseJson(channels, "'channels'") as string[] })
    const condition = withDates(whereIn({ where }), (field) => isDateField(push, field))
    return ok(await audienceOf(push, { kind: 'where', where: condition, channels: listed }))
  },
})
