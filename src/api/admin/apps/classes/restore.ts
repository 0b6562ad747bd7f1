import { z } from 'zod'
import { errors } from '../../../../errors.ts'
import { MASTER } from '../../../../objects/access/caller.ts'
import { isBuiltIn } from '../../../../objects/classes/built-in-classes.ts'
import { createObject } from '../../../../objects/writing/create.ts'
import { checkClassName, isObjectId } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { dateText } from '../../../date-text.ts'
import { parseBody } from '../../../parse-body.ts'
import { adminRoute } from '../../../route.ts'

const restored = z.strictObject({
  objectId: z.string().refine(isObjectId, 'must be the id of an object'),
  createdAt: dateText,
  fields: z.record(z.string(), z.unknown()).describe('With its former `ACL`'),
})

/** POST /admin/apps/:appId/classes/:className/restore — recreates a deleted object with its id. */
export const adminRestore = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/classes/:className/restore',
  need: 'change',
  summary: 'Restores a deleted object under its original id.',
  body: restored,
  answer: z.object({}),
  handler: async (call) => {
    const app = await appOf(call)
    const className = checkClassName(call.params.className)
    const { objectId, createdAt, fields } = parseBody(restored, call.body)
    // Data attached to objects of built-in classes, such as sessions and memberships, cannot be restored.
    if (isBuiltIn(className))
      throw errors.badArgument(`Objects of the built-in class '${className}' cannot be restored.`)
    await app.objects.classes.find(className)
    await createObject(app.objects, className, fields, MASTER, { id: objectId, createdAt })
    return ok({})
  },
})
