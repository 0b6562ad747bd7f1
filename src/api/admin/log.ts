import { z } from 'zod'
import { ok } from '../call.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute } from '../route.ts'

const query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('number of a line; only later lines are returned'),
})

/** GET /admin/log — returns the last log lines of the responding node. */
export const adminLog = adminRoute({
  method: 'GET',
  path: '/admin/log',
  need: 'own',
  summary: 'Returns the last lines of the log of the responding node, each as JSON.',
  query,
  answer: z.object({ node: z.string(), lines: z.array(z.object({ number: z.int(), text: z.string() })) }),
  handler: async ({ server, query: given }) => {
    const { after } = parseBody(query, given)
    return ok({ node: server.health.name, lines: server.logTail.after(after) })
  },
})
