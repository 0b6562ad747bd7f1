import { select } from '../../../search/select.ts'
import { JsonText, ok, withCommas } from '../../call.ts'
import { route } from '../../route.ts'

/** GET /1.1/search/select — returns objects that match a query string (protocol/search, Select). */
export const searchSelect = route({
  method: 'GET',
  path: '/1.1/search/select',
  rate: 'queries',
  adminReadable: true,
  handler: async (call) => {
    const { hits, results, sid } = await select(call.app.search, call.parameters, call.caller)
    return ok(new JsonText(`{"hits":${hits},"results":[`, ...withCommas(results), `],"sid":${JSON.stringify(sid)}}`))
  },
})
