import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { missingKeys } from '../../../files/stored-files.ts'
import { takeBytes } from '../../../files/take-bytes.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route } from '../../route.ts'
import { adminByteRoute } from '../../transfer/admin-byte-route.ts'
import type { ByteRoute } from '../../transfer/byte-route.ts'

const body = z.strictObject({ keys: z.array(z.string().max(1000)).max(1000) })
const described = z.strictObject({
  key: z.string(),
  name: z.string().max(1000).default('file'),
  mime_type: z.string().max(300).nullable().default(null),
  size: z.coerce.number().int().min(0).nullable().default(null),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/i)
    .nullable()
    .default(null),
})

/** Finds keys without stored bytes (docs/moving-in.md, How it works). */
export const adminFiles: readonly Route[] = [
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/files/missing',
    need: 'change',
    summary: 'Returns which of the given keys have no stored bytes.',
    body,
    answer: z.object({ missing: z.array(z.string()) }),
    handler: async (call) => {
      const { keys } = parseBody(body, call.body)
      const { files } = await appOf(call)
      return ok({ missing: await missingKeys(files, keys) })
    },
  }),
]

/** Stores the bytes of a file whose record already exists, under its key. */
export const adminFileBytes: ByteRoute = adminByteRoute({
  method: 'PUT',
  path: '/admin/apps/:appId/files/bytes',
  need: 'change',
  summary: 'Stores the bytes of a file whose record exists.',
  handler: async (call) => {
    const app = await call.server.running.open(call.params.appId!)
    if (!app) throw errors.notFound('App not found.')
    const { mime_type: mimeType, ...moved } = parseBody(described, Object.fromEntries(new URLSearchParams(call.search)))
    await takeBytes(app.files, { ...moved, mimeType }, call.body, call.signal)
    return ok({})
  },
})
