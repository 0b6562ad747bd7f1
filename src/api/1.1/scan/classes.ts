import { classOfPath } from '../../../objects/classes/built-in-classes.ts'
import { parseScanQuery, scanObjects } from '../../../objects/reading/scan.ts'
import { checkClassName } from '../../../values/names.ts'
import { ok, resultsText } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/**
 * GET /1.1/scan/classes/:className — returns all objects of a class page by page, ordered by a key (protocol/storage,
 * Objects).
 */
export const scanClasses = masterRoute({
  method: 'GET',
  path: '/1.1/scan/classes/:className',
  rate: 'queries',
  adminReadable: true,
  handler: async (call) => {
    const className = checkClassName(classOfPath(call.params.className!))
    const { results, cursor } = await scanObjects(
      call.app.objects,
      className,
      parseScanQuery(call.parameters),
      call.caller,
    )
    return ok(resultsText(results, `,"cursor":${JSON.stringify(cursor)}`))
  },
})
