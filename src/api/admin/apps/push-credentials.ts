import { z } from 'zod'
import { listCredentials } from '../../../push/credentials/listed-credentials.ts'
import { PROVIDERS } from '../../../push/providers/all.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

const answer = z.object({
  credentials: z.array(
    z.object({
      provider: z.enum(PROVIDERS.map(({ name }) => name)),
      kind: z.enum(['key', 'certificate', 'account']),
      /** The id of the team, or the profile. */
      name: z.string(),
      /** In milliseconds. */
      validUntil: z.int().nullable(),
    }),
  ),
})

/** GET /admin/apps/:appId/push-credentials — returns the app's credentials for push providers, without secrets. */
export const pushCredentials = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/push-credentials',
  need: 'see',
  summary: 'Lists the credentials of push providers, without their secrets.',
  answer,
  handler: async (call) => {
    const { push } = await appOf(call)
    return ok({ credentials: listCredentials(push.settings()) })
  },
})
