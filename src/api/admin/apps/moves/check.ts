import { z } from 'zod'
import { checkSource, SOURCE_CHECK_RESULTS } from '../../../../moves/check-source.ts'
import { masterKey, sourceAppId, webAddress } from '../../../../moves/source-fields.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const body = z.strictObject({ url: webAddress, appId: sourceAppId, masterKey })
const answer = z.object({
  verdict: z.enum(SOURCE_CHECK_RESULTS),
  reason: z.string().nullable().describe('a network error code, an HTTP status, or the target of a redirect'),
})

/** POST /admin/apps/:appId/moves/check — checks within five seconds whether an app can be moved from an address. */
export const checkMoveSource = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/moves/check',
  need: 'change',
  summary: 'Checks address and keys of the source of a move with one request.',
  body,
  answer,
  audited: false,
  handler: async (call) => {
    await appOf(call)
    const source = parseBody(body, call.body)
    return ok(await checkSource(source.url, source.appId, source.masterKey))
  },
})
