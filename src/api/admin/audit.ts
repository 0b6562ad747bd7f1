import { z } from 'zod'
import { listChanges } from '../../administrators/audit-log.ts'
import { errors } from '../../errors.ts'
import { ok } from '../call.ts'
import { adminRoute } from '../route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

const change = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  administrator: z.uuid().nullable(),
  name: z.string().nullable().describe("null: the administrator's token"),
  address: z.string(),
  appId: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  members: z.array(z.string()).describe('names of the members of the body'),
  status: z.int().nullable().describe('HTTP status; null: the change has not ended, or the server ended first'),
})

/** GET /admin/audit — returns the audit log, newest first; administrators that are not owners see changes of their apps only. */
export const adminAudit = adminRoute({
  method: 'GET',
  path: '/admin/audit',
  need: 'any',
  summary: 'Lists the changes, newest first.',
  answer: z.object({ changes: z.array(change) }),
  handler: async ({ server, admin, query }) => {
    const administrator = admin.administrator
    const theirs =
      administrator === null || administrator.role === 'owner'
        ? null
        : (administrator.apps ?? server.apps.all().map(({ id }) => id))
    const appId = typeof query.app === 'string' ? query.app : undefined
    const apps = appId === undefined ? theirs : theirs === null || theirs.includes(appId) ? [appId] : []
    const limit = integerOf('limit', query.limit) ?? DEFAULT_LIMIT
    if (limit < 1 || limit > MAX_LIMIT) throw errors.badArgument(`'limit' must be between 1 and ${MAX_LIMIT}.`)
    return ok({
      changes: await listChanges(server.database, { apps, before: integerOf('before', query.before), limit }),
    })
  },
})

function integerOf(name: string, given: unknown): number | null {
  if (given === undefined) return null
  if (typeof given !== 'string' || !/^\d{1,15}$/.test(given))
    throw errors.badArgument(`'${name}' must be a whole number.`)
  return Number(given)
}
