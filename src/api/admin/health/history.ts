import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { RETENTION_DAYS, readHistory } from '../../../health-history/history-table.ts'
import { ok } from '../../call.ts'
import { dateText } from '../../date-text.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute } from '../../route.ts'

const DAY = 86_400
/** Maximum number of points that a chart can show. */
const MAX_STEPS = 1500

const query = z.object({
  from: dateText.optional().describe('start of the period; default: a day ago'),
  step: z.coerce.number().int().min(60).max(DAY).default(600).describe('length of a step in seconds'),
})

const share = z.number().nullable()
const point = z.object({
  at: z.string(),
  node: z.string(),
  requests: z.number().describe('per second, as are refused (4XX) and failed (5XX)'),
  refused: z.number(),
  failed: z.number(),
  p50: z.number().nullable().describe('in milliseconds, as is p99'),
  p99: z.number().nullable(),
  cacheHits: share,
  busy: z.number(),
  httpConnections: z.int(),
  websockets: z.int(),
  waiting: z.int(),
  dueJobs: z.int(),
  failedJobs: z.int(),
  memory: z.int(),
  databaseSize: z.int(),
  diskFree: z.int(),
  diskTotal: z.int(),
})

/** GET /admin/health/history — returns the measurements of all nodes in the last week (docs/operations.md, Health). */
export const adminHealthHistory = adminRoute({
  method: 'GET',
  path: '/admin/health/history',
  need: 'own',
  summary: 'Returns the measurements of all nodes in the last week.',
  query,
  answer: z.object({ from: z.string(), step: z.int(), points: z.array(point) }),
  handler: async (call) => {
    const { from, step } = parseBody(query, call.query)
    const oldest = Date.now() - RETENTION_DAYS * DAY * 1000
    const begin = new Date(Math.max(oldest, from === undefined ? Date.now() - DAY * 1000 : Date.parse(from)))
    const steps = (Date.now() - begin.getTime()) / 1000 / step
    if (steps > MAX_STEPS)
      throw errors.badArgument(`'step' must be larger: at most ${MAX_STEPS} steps can be returned.`)
    return ok({
      from: begin.toISOString(),
      step,
      points: await readHistory(call.server.database, { from: begin, step }),
    })
  },
})
