import { moreLikeThis } from '../../../search/more-like-this.ts'
import { ok, resultsText } from '../../call.ts'
import { route } from '../../route.ts'

/** GET /1.1/search/mlt — returns objects that resemble a text or other objects (protocol/search, More like this). */
export const searchMlt = route({
  method: 'GET',
  path: '/1.1/search/mlt',
  rate: 'queries',
  adminReadable: true,
  handler: async (call) => {
    const results = await moreLikeThis(call.app.search, call.parameters, call.caller)
    return ok(resultsText(results))
  },
})
