import { errors } from '../../errors.ts'
import { findSelected } from '../../objects/cql/find-selected.ts'
import { parseSelect, parseValues } from '../../objects/cql/parse-statement.ts'
import { JsonText, ok } from '../call.ts'
import { route } from '../route.ts'

/** GET /1.1/cloudQuery — a class query in CQL, the language of the hosted service (spec/rest-details, 13.6). */
export const cloudQuery = route('GET', '/1.1/cloudQuery', async ({ app, query, caller }) => {
  const { cql, pvalues, returnACL } = query
  if (typeof cql !== 'string' || cql.trim() === '')
    throw errors.invalidCql("The parameter 'cql' is missing, the text of a select.")
  const select = parseSelect(cql, parseValues(pvalues))
  const { results, count } = await findSelected(app.objects, select, returnACL, caller)
  const counted = count === undefined ? '' : `,"count":${count}`
  return ok(new JsonText(`{"results":[${results.join(',')}],"className":"${select.className}"${counted}}`))
})
