import { z } from 'zod'
import { ok } from '../call.ts'
import { adminRoute, type Route } from '../route.ts'

const problem = z.string().nullable().describe('why it could not be sent; null when it was')

const list = z.object({
  alerts: z.array(
    z.object({
      alert: z.string(),
      node: z.string().nullable().describe('the node that it concerns; null: all'),
      problem: z.looseObject({ code: z.string() }).describe('as a notice'),
      since: z.string(),
    }),
  ),
})

const outcome = z.object({
  recipients: z.int().describe('recipients of the mail; 0 when none are configured'),
  mailProblem: problem,
  webhook: z
    .object({ format: z.enum(['json', 'slack', 'wecom', 'dingtalk', 'feishu']), problem })
    .nullable()
    .describe('null: no webhook is configured'),
})

/** The alerts of the installation (docs/monitoring.md, Alerts). */
export const adminAlerts: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/alerts',
    need: 'own',
    summary: 'Returns the current alerts, as of the last minute.',
    answer: list,
    handler: async ({ server }) =>
      ok({
        alerts: server.alerts.current.map(({ id, node, problem, since }) => ({
          alert: id,
          node,
          problem,
          since: new Date(since).toISOString(),
        })),
      }),
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/alerts/test',
    need: 'own',
    summary: 'Sends a test alert to the recipients and the webhook now.',
    answer: outcome,
    handler: async ({ server }) => ok(await server.alerts.test()),
  }),
]
