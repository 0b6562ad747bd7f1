import { analyze } from '../../../search/analyze.ts'
import { SERVER } from '../../../turns/party.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.1/search/analyze — how a text is cut into words (protocol/search, Analyze). */
export const searchAnalyze = masterRoute('GET', '/1.1/search/analyze', async (call) =>
  ok({ tokens: await analyze(call.parameters.text, call.caller.origin?.party ?? SERVER) }),
)
