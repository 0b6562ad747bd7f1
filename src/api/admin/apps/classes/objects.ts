import { emptyClass } from '../../../../objects/writing/empty-class.ts'
import { checkClassName } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { parseBody } from '../../../parse-body.ts'
import { removal, removalPage } from '../../../removal-page.ts'
import { adminRoute } from '../../../route.ts'

/** DELETE /admin/apps/:appId/classes/:className/objects — deletes all objects of a class (docs/classes.md). */
export const adminClassObjects = adminRoute({
  method: 'DELETE',
  path: '/admin/apps/:appId/classes/:className/objects',
  need: 'change',
  summary: 'Deletes the objects of a class, as many as a few seconds allow; the class and its fields remain.',
  query: removalPage,
  answer: removal,
  handler: async (call) => {
    const app = await appOf(call)
    const { after } = parseBody(removalPage, call.query)
    return ok(await emptyClass(app.objects, checkClassName(call.params.className), after))
  },
})
