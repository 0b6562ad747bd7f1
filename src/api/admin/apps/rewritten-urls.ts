import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { pathOfKey } from '../../../files/file-key.ts'
import { belowServer, type FileHosts, fileBase } from '../../../files/file-url.ts'
import { formerHosts, rewriteUrls } from '../../../import/write/rewrite-urls.ts'
import { isClassName } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route, type ServerCall } from '../../route.ts'

const className = z.string().refine(isClassName, 'must be the name of a class')
export const hostAndPath = z
  .string()
  .max(300)
  .regex(/^[a-z0-9.-]+(:\d{1,5})?(\/[^\s/?#]+)*$/i, 'must be a host such as files.example.com, or a host and a path')
const body = z.strictObject({
  of: z.union([
    z.literal('messages'),
    z.strictObject({ className, fields: z.array(z.string().max(128)).min(1).max(300).nullable() }),
  ]),
  after: z.string().max(4000).nullable(),
  places: z.array(hostAndPath).min(1).max(100),
})

/** Rewriting of file URLs in texts, page by page (docs/moving-in.md, URLs in texts). */
export const adminRewrittenUrls: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/rewritten-urls',
    need: 'see',
    summary: 'Returns the former and current addresses of files, and the classes that can contain them.',
    answer: z.object({ base: z.string().nullable(), places: z.array(z.string()), classes: z.array(z.string()) }),
    handler: async (call) => {
      const app = await appOf(call)
      const classes = app.objects.classes.all().map(({ name }) => name)
      return ok({ base: baseOf(call, app.files.hosts()), places: await formerHosts(app), classes: classes.sort() })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/rewritten-urls',
    need: 'change',
    summary: 'Rewrites URLs of files in fields or messages, one page.',
    body,
    answer: z.object({
      changed: z.int(),
      urls: z.int(),
      missed: z.int().describe('objects or messages that were changed at the same time'),
      after: z.string().nullable().describe('null: this is the last page'),
    }),
    handler: async (call) => {
      const { places, ...request } = parseBody(body, call.body)
      const app = await appOf(call)
      const base = baseOf(call, app.files.hosts())
      if (base === null)
        throw errors.badArgument(
          "URLs in texts can only be rewritten to a permanent URL: set 'files.domain' of the app, or start the server with --files-public-url or --public-url.",
        )
      return ok(
        await rewriteUrls(app, { ...request, formerHosts: places, urlOf: (key) => `${base}/${pathOfKey(key)}` }),
      )
    },
  }),
]

/** Returns the base URL of the app's files that is the same for every caller; null when it depends on the request. */
export function baseOf({ server, params }: ServerCall, hosts: FileHosts): string | null {
  return fileBase(hosts, params.appId!) ?? (server.publicUrl && belowServer(server.publicUrl, params.appId!))
}
