import { errors } from '../../errors.ts'
import { findByCql } from '../../objects/cql/find-by-cql.ts'
import { parseValues } from '../../objects/cql/parse-select.ts'
import { JsonText, ok } from '../call.ts'
import { route } from '../route.ts'

/** GET /1.1/cloudQuery — a class query in CQL, the language of the hosted service (spec/rest-details, 13.6). */
export const cloudQuery = route('GET', '/1.1/cloudQuery', async ({ app, query, caller }) => {
  const { cql, pvalues, returnACL } = query
  if (typeof cql !== 'string' || cql.trim() === '')
    throw errors.invalidCql("The parameter 'cql' is missing, the text of a select.")
  const found = await findByCql(app.objects, cql, parseValues(pvalues), returnACL, caller)
  const counted = found.count === undefined ? '' : `,"count":${found.count}`
  return ok(new JsonText(`{"results":[${found.results.join(',')}],"className":"${found.className}"${counted}}`))
})
