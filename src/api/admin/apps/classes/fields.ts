import { removeField } from '../../../../objects/writing/remove-field.ts'
import { checkClassName } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { removal, removalPage } from '../../../removal-page.ts'
import { adminRoute } from '../../../route.ts'

/** DELETE /admin/apps/:appId/classes/:className/fields/:field — removes a field with its values (docs/classes.md). */
export const adminClassFields = adminRoute({
  method: 'DELETE',
  path: '/admin/apps/:appId/classes/:className/fields/:field',
  need: 'change',
  summary: 'Deletes a field with its values, as many as a few seconds allow; the field is deleted with the last value.',
  query: removalPage,
  answer: removal,
  handler: async (call) => {
    const app = await appOf(call)
    const { after } = parseBody(removalPage, call.query)
    return ok(await removeField(app.objects, checkClassName(call.params.className), call.params.field!, after))
  },
})
