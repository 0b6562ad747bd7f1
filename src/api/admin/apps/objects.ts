import { z } from 'zod'
import { classesOfObject } from '../../../objects/reading/classes-of-object.ts'
import { checkObjectId } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { adminRoute } from '../../route.ts'

/** GET /admin/apps/:appId/objects/:objectId — returns the classes that have an object with this id. */
export const adminObjects = adminRoute({
  method: 'GET',
  path: '/admin/apps/:appId/objects/:objectId',
  need: 'see',
  summary: 'Lists the classes that contain an object with a given id.',
  answer: z.object({ classes: z.array(z.string()) }),
  handler: async (call) => {
    const { objects } = await appOf(call)
    return ok({ classes: await classesOfObject(objects, checkObjectId(call.params.objectId)) })
  },
})
