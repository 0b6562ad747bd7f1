import { z } from 'zod'
import { CHECK_STEPS, checkFiles } from '../../../../files/check/check-files.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const page = z.strictObject({
  from: z.strictObject({ step: z.enum(CHECK_STEPS), after: z.string().max(1000).nullable() }).nullable(),
  checksums: z.boolean().default(false),
  repair: z.boolean().default(false),
})

/** POST /admin/apps/:appId/files/check — compares records and bytes, a page; the answer says where the next one begins. */
export const adminFilesCheck = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/files/check',
  need: 'change',
  summary: 'Compares records of files and bytes, a page; the answer says where the next one begins.',
  body: page,
  handler: async (call) => {
    const { from, ...options } = parseBody(page, call.body)
    const { files } = await appOf(call)
    return ok(await checkFiles(files, from ?? { step: CHECK_STEPS[0], after: null }, options))
  },
})
