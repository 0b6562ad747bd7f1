import { errors } from '../../../../errors.ts'
import { searchedFields } from '../../../../search/fields.ts'
import { isJsonObject } from '../../../../values/json.ts'
import { checkClassName } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { emptyAnswer } from '../../../empty-answer.ts'
import { adminRoute } from '../../../route.ts'

/**
 * POST /admin/apps/:appId/search/rebuild — rebuilds the search index of a class without interrupting searches
 * (docs/search.md).
 */
export const rebuildSearch = adminRoute({
  method: 'POST',
  path: '/admin/apps/:appId/search/rebuild',
  need: 'change',
  summary: 'Rebuilds the search index of a class; searches continue meanwhile.',
  answer: emptyAnswer,
  handler: async (call) => {
    const { objects, search } = await appOf(call)
    const schema = await objects.classes.find(checkClassName(isJsonObject(call.body) ? call.body.className : undefined))
    if (searchedFields(schema).length === 0)
      throw errors.badArgument(`className: no field of the class '${schema.name}' is 'searchable'.`)
    await search.indexes.rebuild(schema)
    search.indexer.wake()
    return ok({})
  },
})
