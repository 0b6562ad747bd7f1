import { z } from 'zod'
import { indexStates } from '../../../search/indexing/states.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

const answer = z.object({
  classes: z.array(
    z.object({
      className: z.string(),
      fields: z.array(z.string()),
      building: z.boolean().describe('existing objects are being indexed'),
      pending: z.int().describe('writes that are not indexed yet'),
    }),
  ),
})

/** GET /admin/apps/:appId/search — returns the searchable classes and the state of their indexes (docs/search.md). */
export const adminSearch = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/search',
  need: 'see',
  summary: 'Lists the classes enabled for search, and the progress of their indexes.',
  answer,
  handler: async (call) => {
    const { search } = await appOf(call)
    return ok({ classes: await indexStates(search) })
  },
})
