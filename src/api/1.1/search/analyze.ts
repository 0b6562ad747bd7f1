import { SERVER } from '../../../scheduling/principal.ts'
import { analyze } from '../../../search/analyze.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.1/search/analyze — returns the tokens of a text (protocol/search, Analyze). */
export const searchAnalyze = masterRoute({
  method: 'GET',
  path: '/1.1/search/analyze',
  rate: 'queries',
  adminReadable: true,
  handler: async ({ app, caller, parameters }) =>
    ok({ tokens: await analyze(app.search, parameters.text, caller.origin?.principal ?? SERVER) }),
})
