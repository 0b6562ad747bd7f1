import { z } from 'zod'
import { errors } from '../../../../errors.ts'
import { checkCredential } from '../../../../push/credentials/check-credential.ts'
import { PROVIDERS } from '../../../../push/providers/all.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const body = z.strictObject({
  provider: z.enum(PROVIDERS.map(({ name }) => name)),
  kind: z.enum(['key', 'certificate', 'account']),
  name: z.string().min(1).max(64),
})

const answer = z.object({ verdict: z.enum(['valid', 'refused', 'unreachable']), reason: z.string().optional() })

/** POST /admin/apps/:appId/push-credentials/check — checks a credential with its push provider, without pushing to a device. */
export const checkPushCredential = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/push-credentials/check',
  need: 'change',
  summary: 'Shows a credential to its provider, with a message for no device.',
  body,
  answer,
  audited: false,
  handler: async (call) => {
    const credential = parseBody(body, call.body)
    const { push } = await appOf(call)
    const result = await checkCredential(push.settings(), credential, push.log)
    if (!result)
      throw errors.notFound(`There is no ${credential.kind} '${credential.name}' for ${credential.provider}.`)
    return ok(result)
  },
})
