import { analyze } from '../../../search/analyze.ts'
import { ok } from '../../call.ts'
import { masterRoute } from '../../route.ts'

/** GET /1.1/search/analyze — how a text is cut into words (protocol/search, Analyze). */
export const searchAnalyze = masterRoute('GET', '/1.1/search/analyze', async (call) =>
  ok({ tokens: analyze(call.parameters.text) }),
)
