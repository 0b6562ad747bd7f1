import { z } from 'zod'
import { figuresOf } from '../../../apps/app-figures.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

const number = z.int().min(0)
const figures = z.object({
  classes: number,
  objects: number,
  users: number,
  devices: number,
  conversations: number,
  messages: number,
  files: number,
  bytes: number.describe('In the database, with indexes'),
  estimated: z.array(z.string()).describe('Names of the figures that are estimates of the database'),
  serverUrl: z.string().describe('Where clients reach the server'),
})

/** GET /admin/apps/:appId/figures — returns the size of an app: exact where counting is cheap, else estimated. */
export const adminFigures = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/figures',
  need: 'see',
  summary: 'Returns how much data an app has, and the address for its clients.',
  answer: figures,
  handler: async (call) => {
    const app = await appOf(call)
    return ok({ ...(await figuresOf(call.server.database, app.objects, app.record.id)), serverUrl: call.baseUrl })
  },
})
