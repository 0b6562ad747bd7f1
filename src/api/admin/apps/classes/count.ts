import { z } from 'zod'
import { type Parameters, parseWhereParameter } from '../../../../objects/query-parameters.ts'
import { countRows } from '../../../../objects/reading/count-rows.ts'
import { checkClassName } from '../../../../values/names.ts'
import { appOf, masterOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'
import { rowCount } from '../class-counts.ts'

const body = z.strictObject({ where: z.unknown().optional().describe('The condition, as in class queries') })

/** POST /admin/apps/:appId/classes/:className/count — counts the objects that meet a condition, at a bounded cost. */
export const adminCount = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/classes/:className/count',
  need: 'see',
  audited: false,
  summary: 'Counts the objects of a class that match a condition.',
  body,
  answer: rowCount,
  handler: async (call) => {
    const app = await appOf(call)
    const { where } = parseBody(body, call.body)
    const condition = parseWhereParameter(where as Parameters[string])
    return ok(await countRows(app.objects, checkClassName(call.params.className), condition, masterOf(call)))
  },
})
