import { z } from 'zod'
import { errors } from '../../../../errors.ts'
import { type Parameters, parseView, parseWhereParameter } from '../../../../objects/query-parameters.ts'
import { type Position, readPage } from '../../../../objects/reading/keyset-page.ts'
import { checkClassName, checkKeyName } from '../../../../values/names.ts'
import { appOf, masterOf } from '../../../admin-app.ts'
import { ok, resultsText } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'
import { acl } from '../classes.ts'

const body = z.strictObject({
  where: z.unknown().optional().describe('The condition, as in class queries'),
  order: z.string().default('-objectId').describe('One field; a minus before it for descending order'),
  keys: z.string().optional().describe('Fields separated by commas; default: all'),
  limit: z.int().min(1).max(1000).default(100),
  after: z.string().optional().describe('`next` of the previous page'),
})
const answered = z.object({
  results: z.array(
    z.looseObject({ objectId: z.string(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime(), ACL: acl }),
  ),
  next: z.string().nullable().describe('Value of `after` for the next page; null: this is the last page'),
})
const position = z.tuple([z.string().nullable(), z.string()])

/**
 * POST /admin/apps/:appId/classes/:className/find — returns a page of objects, at the same cost for every page. It is a
 * POST because conditions and positions can be longer than URLs.
 */
export const adminFind = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/classes/:className/find',
  need: 'see',
  audited: false,
  summary: 'Finds objects of a class, in pages ordered by one field.',
  body,
  answer: answered,
  handler: async (call) => {
    const app = await appOf(call)
    const { where, order, keys, limit, after } = parseBody(body, call.body)
    const descending = order.startsWith('-')
    const query = {
      where: parseWhereParameter(where as Parameters[string]),
      key: checkKeyName(descending ? order.slice(1) : order),
      descending,
      limit,
      view: { ...parseView({ keys }), aclAnyway: true as const },
    }
    const begin = after === undefined ? null : parsePosition(after)
    const { results, next } = await readPage(
      app.objects,
      checkClassName(call.params.className),
      query,
      begin,
      masterOf(call),
    )
    return ok(resultsText(results, `,"next":${JSON.stringify(next && showPosition(next))}`))
  },
})

function showPosition({ value, id }: Position): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

/** @throws ApiError 102 */
function parsePosition(text: string): Position {
  try {
    const [value, id] = position.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    return { value, id }
  } catch {
    throw errors.invalidQuery("'after' must be the 'next' value of a previous page.")
  }
}
