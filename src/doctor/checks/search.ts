import { createLog } from '../../log.ts'
import { SearchServer } from '../../search/server/search-server.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf } from '../finding.ts'

/** Requests the version of the search server. */
export async function checkSearch({ config: { searchUrl, queryTimeout } }: Examination): Promise<Finding[]> {
  if (searchUrl === null) return []
  const server = new SearchServer({ url: searchUrl, timeout: queryTimeout, log: createLog('silent') })
  try {
    return [fine('doctorSearch', { what: await server.describe() })]
  } catch (error) {
    return [failure('doctorSearchUnusable', { reason: reasonOf(error) })]
  }
}
