import { z } from 'zod'
import { CHECK_STEPS, checkFiles } from '../../../../files/check/check-files.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const position = z
  .strictObject({ step: z.enum(CHECK_STEPS), after: z.string().max(1000).nullable() })
  .meta({ id: 'FileCheckPosition' })
const page = z.strictObject({
  from: position.nullable(),
  checksums: z.boolean().default(false),
  repair: z.boolean().default(false),
})

const answer = z.object({
  findings: z.array(
    z.object({
      kind: z.enum([
        'record without bytes',
        'bytes without record',
        'bytes that nothing knows',
        'bytes missing',
        'bytes of another size',
        'bytes of another checksum',
      ]),
      objectId: z.string().optional(),
      key: z.string().optional(),
      blob: z.string().optional(),
      removed: z.literal(true).optional(),
    }),
  ),
  files: z.int().describe('files that were checked'),
  next: position.nullable().describe('null: all files were checked'),
})

/** POST /admin/apps/:appId/files/check — compares one page of records and bytes, and returns the position of the next page. */
export const adminFilesCheck = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/files/check',
  need: 'change',
  summary: 'Compares file records with stored bytes, one page; the response says where the next page begins.',
  body: page,
  answer,
  handler: async (call) => {
    const { from, ...options } = parseBody(page, call.body)
    const { files } = await appOf(call)
    return ok(await checkFiles(files, from ?? { step: CHECK_STEPS[0], after: null }, options))
  },
})
